internal import CLibPQ
import Glibc

/// A signal that wakes a thread from poll(2). It is an eventfd, which is closed with the last reference.
final class WakeUp: Sendable {
    let descriptor: Int32

    /// Creates the signal.
    ///
    /// - Throws: ``PostgresError`` with code `connectFailed` if the process can't open another file descriptor.
    init() throws(PostgresError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else {
            throw PostgresError(.connectFailed, "creating an eventfd: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }

    /// Waits for the signal, at most until the deadline. Without a deadline, the wait has no limit.
    func wait(until deadline: ContinuousClock.Instant?) {
        var awaited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&awaited, 1, milliseconds(until: deadline)) > 0 { clear() }
    }
}

/// Returns the time until a deadline in milliseconds, for poll(2). The result is at most one hour, or -1 without a
/// deadline.
func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let left = (deadline - .now) / .milliseconds(1)
    return Int32(clamping: Int(max(0, min(left.rounded(.up), 3_600_000))))
}
