internal import CRabbitMQ
import Glibc

/// A signal with which any thread wakes the connection's thread from its `poll`.
final class WakeUp: Sendable {
    let descriptor: Int32

    /// Creates the signal.
    ///
    /// - Throws: ``AMQPError/Code/connectionFailed`` if the process can't open another file descriptor.
    init() throws(AMQPError) {
        descriptor = crabbitmq_eventfd()
        if descriptor < 0 {
            throw AMQPError(.connectionFailed, "creating an eventfd: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(descriptor)
    }

    func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }

    struct Readiness {
        let isSignalled: Bool
        let socketHasInput: Bool
    }

    /// Waits for a signal, for input or room on `socket` if requested, or until `timeout` has passed. A broken socket
    /// ends the wait even if neither was requested.
    func wait(socket: Int32?, forInput: Bool = true, forRoom: Bool = false, timeout: Duration?) -> Readiness {
        withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { descriptors in
            descriptors[0] = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let events = (forInput ? POLLIN : 0) | (forRoom ? POLLOUT : 0)
            // poll(2) skips a negative descriptor.
            descriptors[1] = pollfd(fd: socket ?? -1, events: Int16(events), revents: 0)
            _ = poll(descriptors.baseAddress, 2, timeout.map(Self.milliseconds) ?? -1)
            let isSignalled = descriptors[0].revents != 0
            if isSignalled { clear() }
            // An error or hang-up counts as input, because reading reports it.
            return Readiness(
                isSignalled: isSignalled, socketHasInput: Int32(descriptors[1].revents) & ~POLLOUT != 0)
        }
    }

    /// Returns a duration in milliseconds, at most one day. The value is rounded up, because a wait that ends just
    /// before its deadline would cause a busy loop.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        if duration <= .zero { return 0 }
        let (seconds, attoseconds) = min(duration, .seconds(86_400)).components
        return Int32(seconds * 1000) + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
