internal import CLibPQ
import Glibc

/// Wakes a thread that waits in poll(2): an eventfd, closed with its last owner.
final class WakeUp: Sendable {
    let descriptor: Int32

    /// - Throws: ``PostgresError`` with code `connectFailed` when the process has no descriptor left.
    init() throws(PostgresError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else {
            throw PostgresError(.connectFailed, "no eventfd: \(String(cString: strerror(errno)))")
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

    /// Until it is signalled, at most.
    func wait(until deadline: ContinuousClock.Instant?) {
        var awaited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&awaited, 1, milliseconds(until: deadline)) > 0 { clear() }
    }
}

/// For poll(2).
func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let left = (deadline - .now) / .milliseconds(1)
    return Int32(clamping: Int(max(0, min(left.rounded(.up), 3_600_000))))
}
