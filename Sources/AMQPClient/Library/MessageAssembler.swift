internal import CRabbitMQ

/// An assembler that combines the method, header and body frames of one channel into messages (AMQP 0-9-1, section
/// 4.2.6).
struct MessageAssembler {
    private enum Origin {
        case delivery(number: UInt64, isRedelivered: Bool)
        case returned(AMQPError.Reply)
    }

    private let channel: UInt16
    private var origin: Origin?
    private var message = InboundMessage(exchange: "", routingKey: "")
    private var remaining: UInt64 = 0

    init(channel: UInt16) {
        self.channel = channel
    }

    mutating func began(_ method: amqp_basic_deliver_t) {
        origin = .delivery(number: method.delivery_tag, isRedelivered: method.redelivered != 0)
        message = InboundMessage(exchange: method.exchange.string, routingKey: method.routing_key.string)
    }

    mutating func began(_ method: amqp_basic_return_t) {
        origin = .returned(.init(code: method.reply_code, text: method.reply_text.string))
        message = InboundMessage(exchange: method.exchange.string, routingKey: method.routing_key.string)
    }

    /// Handles a header frame. The frame contains the class, the weight, the size of the body, and the properties (AMQP
    /// 0-9-1, section 4.2.6.1).
    mutating func received(header: UnsafeRawBufferPointer) throws(AMQPError) -> Inbound {
        guard header.count >= 12 else {
            throw AMQPError(.protocolViolation, "the broker sent an incomplete message header")
        }
        remaining = UInt64(bigEndian: header.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        message.properties = AMQPProperties(
            wire: UnsafeRawBufferPointer(rebasing: header[12...]), problem: &message.problem)
        return finishedIfComplete()
    }

    mutating func received(body fragment: UnsafeRawBufferPointer) throws(AMQPError) -> Inbound {
        guard UInt64(fragment.count) <= remaining else {
            throw AMQPError(.protocolViolation, "the broker sent a message body that is longer than declared")
        }
        if message.body.isEmpty {
            // The peer may announce any size, so only a plausible part of it is reserved in advance.
            message.body.reserveCapacity(Int(min(remaining, 16_777_216)))
        }
        message.body.append(contentsOf: fragment)
        remaining -= UInt64(fragment.count)
        return finishedIfComplete()
    }

    private mutating func finishedIfComplete() -> Inbound {
        guard remaining == 0, let origin else { return .nothing }
        self.origin = nil
        let complete = message
        message = InboundMessage(exchange: "", routingKey: "")
        switch origin {
        case .delivery(let number, let isRedelivered):
            return .delivery(channel: channel, number: number, isRedelivered: isRedelivered, complete)
        case .returned(let reply):
            return .returned(reply, complete)
        }
    }
}
