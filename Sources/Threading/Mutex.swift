// `Mutex` and `Atomic`, for all targets: they import `Threading` and not `Synchronization` (`make check` holds it).
@_exported public import Synchronization

#if SANITIZE_THREAD
import Glibc

/// Takes the place of `Synchronization.Mutex` under the thread sanitizer (`scripts/sanitize`), which does not see that
/// one on Linux: a futex, whose contended path is in the standard library and so not instrumented. It knows pthread's.
// why: unchecked because the value is reached under the lock only.
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
