internal import CRabbitMQ
import DequeModule
import Foundations

extension BrokerLink {
    /// Returns the next input, or `nil` if no complete frame has arrived. Reads from the socket if no input is
    /// buffered.
    func receive() throws(AMQPError) -> Inbound? {
        if let inbound = kept.popFirst() { return inbound }
        return try read()
    }

    func read() throws(AMQPError) -> Inbound? {
        owner.preconditionIsCurrent()
        while true {
            if let frame = try frames.next() { return try received(frame) }
            let count = frames.fill { [session, socket] in crabbitmq_receive(session, socket, $0.baseAddress, $0.count)
            }
            if count == CRABBITMQ_CLOSED {
                throw AMQPError(library: AMQP_STATUS_CONNECTION_CLOSED.rawValue, while: "Reading")
            }
            guard count >= 0 else { throw AMQPError(library: AMQP_STATUS_SOCKET_ERROR.rawValue, while: "Reading") }
            if count == 0 { return nil }
        }
    }

    private func received(_ frame: FrameBuffer.Frame) throws(AMQPError) -> Inbound {
        switch Int32(frame.type) {
        case AMQP_FRAME_METHOD:
            guard frame.payload.count >= 4 else {
                throw AMQPError(.protocolViolation, "the broker sent a method without a number")
            }
            let method = try methods.decode(frame.payload)
            return try received(method, channel: frame.channel)
        case AMQP_FRAME_HEADER:
            return try withAssembler(frame.channel) { assembler throws(AMQPError) in
                try assembler.received(header: frame.payload)
            }
        case AMQP_FRAME_BODY:
            return try withAssembler(frame.channel) { assembler throws(AMQPError) in
                try assembler.received(body: frame.payload)
            }
        default:
            return .nothing
        }
    }

    /// Handles the frames that the library has read beyond the answer to the log-in. They contain no messages, because
    /// nothing is consumed yet.
    func takeWhatTheLibraryHasRead() throws(AMQPError) {
        var limit = timeval(answerLimit)
        while amqp_frames_enqueued(state) != 0 || amqp_data_in_buffer(state) != 0 || amqp_release_buffers_ok(state) == 0
        {
            var frame = amqp_frame_t()
            let status = amqp_simple_wait_frame_noblock(state, &frame, &limit)
            guard status == AMQP_STATUS_OK.rawValue else { throw AMQPError(library: status, while: "logging in") }
            guard Int32(frame.frame_type) == AMQP_FRAME_METHOD else { continue }
            kept.append(try received(frame.payload.method, channel: frame.channel))
        }
    }

    private func received(_ method: amqp_method_t, channel: UInt16) throws(AMQPError) -> Inbound {
        guard let decoded = method.decoded else { return .nothing }
        switch method.id {
        case CRABBITMQ_BASIC_DELIVER:
            try withAssembler(channel) { $0.began(decoded.load(as: amqp_basic_deliver_t.self)) }
            return .nothing
        case CRABBITMQ_BASIC_RETURN:
            try withAssembler(channel) { $0.began(decoded.load(as: amqp_basic_return_t.self)) }
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
        case CRABBITMQ_QUEUE_DECLARE_OK:
            let declared = decoded.load(as: amqp_queue_declare_ok_t.self)
            let queue = DeclaredQueue(
                name: declared.queue.string, messages: Int(declared.message_count),
                consumers: Int(declared.consumer_count))
            return .answer(channel: channel, method: method.id, queue: queue)
        default:
            return .answer(channel: channel, method: method.id, queue: nil)
        }
    }

    private func withAssembler<R>(
        _ channel: UInt16, _ body: (inout MessageAssembler) throws(AMQPError) -> R
    ) throws(AMQPError) -> R {
        guard channel > 0, assemblers.indices.contains(Int(channel)) else {
            throw AMQPError(.protocolViolation, "the broker sent a message on channel \(channel), which is not open")
        }
        return try body(&assemblers[Int(channel)])
    }
}
