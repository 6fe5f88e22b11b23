internal import CRabbitMQ
import Glibc

extension BrokerLink {
    /// Takes one frame from what was read, or reads first. `nil` when nothing has come.
    func receive() throws(AMQPError) -> Inbound? {
        var frame = amqp_frame_t()
        var noWait = timeval()
        let status = amqp_simple_wait_frame_noblock(state, &frame, &noWait)
        if status == AMQP_STATUS_TIMEOUT.rawValue { return nil }
        guard status == AMQP_STATUS_OK.rawValue else { throw AMQPError(library: status, while: "Reading") }
        // All that matters was copied once this returns, so the frame's memory is used again for the next.
        defer { amqp_maybe_release_buffers_on_channel(state, frame.channel) }
        switch Int32(frame.frame_type) {
        case AMQP_FRAME_METHOD:
            return received(frame.payload.method, channel: frame.channel)
        case AMQP_FRAME_HEADER:
            guard let decoded = frame.payload.properties.decoded else { return .nothing }
            return withAssembler(frame.channel) {
                $0.received(
                    properties: decoded.load(as: amqp_basic_properties_t.self),
                    bodySize: frame.payload.properties.body_size)
            }
        case AMQP_FRAME_BODY:
            return try withAssembler(frame.channel) { assembler throws(AMQPError) in
                try assembler.received(body: frame.payload.body_fragment.buffer)
            }
        default:
            return .nothing
        }
    }

    private func received(_ method: amqp_method_t, channel: UInt16) -> Inbound {
        guard let decoded = method.decoded else { return .nothing }
        switch method.id {
        case CRABBITMQ_BASIC_DELIVER:
            withAssembler(channel) { $0.began(decoded.load(as: amqp_basic_deliver_t.self)) }
            return .nothing
        case CRABBITMQ_BASIC_RETURN:
            withAssembler(channel) { $0.began(decoded.load(as: amqp_basic_return_t.self)) }
            return .nothing
        case CRABBITMQ_BASIC_ACK:
            let ack = decoded.load(as: amqp_basic_ack_t.self)
            return .acknowledged(number: ack.delivery_tag, multiple: ack.multiple != 0)
        case CRABBITMQ_BASIC_NACK:
            let nack = decoded.load(as: amqp_basic_nack_t.self)
            return .refused(number: nack.delivery_tag, multiple: nack.multiple != 0)
        case CRABBITMQ_BASIC_CANCEL_OK:
            return .cancelled(channel: channel)
        case CRABBITMQ_BASIC_CANCEL:
            return .cancelledByBroker(channel: channel)
        case CRABBITMQ_CONNECTION_BLOCKED:
            return .blocked(reason: decoded.load(as: amqp_connection_blocked_t.self).reason.string)
        case CRABBITMQ_CONNECTION_UNBLOCKED:
            return .unblocked
        case CRABBITMQ_CHANNEL_CLOSE:
            let close = decoded.load(as: amqp_channel_close_t.self)
            return .channelClosed(
                channel: channel, .init(code: close.reply_code, text: close.reply_text.string),
                causedByPublish: close.class_id == 60 && close.method_id == 40)
        case CRABBITMQ_CONNECTION_CLOSE:
            let close = decoded.load(as: amqp_connection_close_t.self)
            return .connectionClosed(.init(code: close.reply_code, text: close.reply_text.string))
        default:
            return .nothing
        }
    }

    private func withAssembler<R, E: Error>(
        _ channel: UInt16, _ body: (inout MessageAssembler) throws(E) -> R
    ) throws(E) -> R {
        while assemblers.count <= Int(channel) {
            assemblers.append(MessageAssembler(channel: UInt16(assemblers.count)))
        }
        return try body(&assemblers[Int(channel)])
    }
}
