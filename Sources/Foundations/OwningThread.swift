import Glibc

/// The thread that created an object and is the only one that may use it.
public struct OwningThread: Sendable {
    private let thread = pthread_self()

    public init() {}

    /// Ends the process if called on another thread. The check costs one comparison.
    public func preconditionIsCurrent() {
        // why: no external input can cause this, and using a C library's state on two threads is undefined behaviour.
        precondition(pthread_equal(thread, pthread_self()) != 0, "used on a thread that does not own it")
    }
}
