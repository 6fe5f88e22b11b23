// `Mutex` and `Atomic` for all targets, which must import `Foundations` instead of `Synchronization`. `make check`
// enforces this.
@_exported public import Synchronization

#if SANITIZE_THREAD
import Glibc

/// A replacement for `Synchronization.Mutex` under the thread sanitizer (`scripts/sanitize`). On Linux the sanitizer
/// does not see the original, which is a futex. Its contended path is in the standard library and therefore not
/// instrumented. The sanitizer does see pthread mutexes.
// why: unchecked, because the value is accessed only while the lock is held.
public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    public init(_ initialValue: consuming sending Value) {
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        value = .allocate(capacity: 1)
        value.initialize(to: initialValue)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    public borrowing func withLock<Result: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}
#endif
