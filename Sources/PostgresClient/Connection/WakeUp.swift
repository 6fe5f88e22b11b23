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
}
