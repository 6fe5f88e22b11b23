internal import CRabbitMQ
import DequeModule
import Glibc

extension BrokerLink {
    /// Sends a method and waits for its answer. The number of an answer is the method's number plus one (AMQP 0-9-1,
    /// section 1.1 of the generated reference). If `keeping` is true, other input that arrives meanwhile is kept for
    /// ``receive()``.
    ///
    /// - Returns: the content of a `queue.declare-ok`, or `nil` for other answers.
    @discardableResult
    func call<Arguments: BitwiseCopyable>(
        _ method: UInt32, _ arguments: Arguments, channel: UInt16, within limit: Duration? = nil, keeping: Bool = true,
        _ attempt: @autoclosure () -> String
    ) throws(AMQPError) -> DeclaredQueue? {
        var arguments = arguments
        try check(amqp_send_method(state, channel, method, &arguments), attempt())
        let clock = ContinuousClock()
        let deadline = clock.now + (limit ?? answerLimit)
        while true {
            guard let inbound = try read() else {
                let left = deadline - clock.now
                guard left > .zero else {
                    throw AMQPError(library: AMQP_STATUS_TIMEOUT.rawValue, while: attempt())
                }
                waitForInput(left)
                continue
            }
            switch inbound {
            case .answer(channel: channel, method: method + 1, queue: let queue):
                return queue
            case .channelClosed(channel: channel, let reply, causedByPublish: _):
                throw AMQPError(closedBy: reply, isConnection: false, while: attempt())
            case .connectionClosed(let reply):
                confirmConnectionClosed()
                throw AMQPError(closedBy: reply, isConnection: true, while: attempt())
            case .nothing: break
            default: if keeping { kept.append(inbound) }
            }
        }
    }

    private func waitForInput(_ limit: Duration) {
        guard crabbitmq_pending(session) == 0 else { return }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let (seconds, attoseconds) = limit.components
        _ = poll(&descriptor, 1, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
    }
}
