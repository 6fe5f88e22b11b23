import Glibc

/// The thread that something was made on, and the only one that may use it.
public struct OwningThread: Sendable {
    private let thread = pthread_self()

    public init() {}

    /// Ends the process when called on another thread. Costs a comparison.
    public func preconditionIsCurrent() {
        // why: what comes from outside can't get here; and what two threads do to a C library's state is anybody's guess.
        precondition(pthread_equal(thread, pthread_self()) != 0, "used on a thread that does not own it")
    }
}
