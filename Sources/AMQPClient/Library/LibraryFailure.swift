internal import CRabbitMQ

extension AMQPError {
    /// Creates an error from a status code of the library.
    init(library status: Int32, while attempt: String) {
        let text = amqp_error_string2(status).map { String(cString: $0) } ?? "unknown error"
        let code: Code =
            switch amqp_status_enum(rawValue: status) {
            case AMQP_STATUS_TIMEOUT: .timedOut
            case AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED: .connectionFailed
            case AMQP_STATUS_SSL_ERROR, AMQP_STATUS_SSL_HOSTNAME_VERIFY_FAILED, AMQP_STATUS_SSL_PEER_VERIFY_FAILED,
                AMQP_STATUS_SSL_CONNECTION_FAILED:
                .tlsFailed
            case AMQP_STATUS_BAD_AMQP_DATA, AMQP_STATUS_UNKNOWN_CLASS, AMQP_STATUS_UNKNOWN_METHOD,
                AMQP_STATUS_INCOMPATIBLE_AMQP_VERSION, AMQP_STATUS_WRONG_METHOD:
                .protocolViolation
            default: .connectionLost
            }
        self.init(code, "\(attempt): \(text)")
    }

    /// Creates an error from the reply in a `channel.close` or `connection.close`.
    init(closedBy reply: Reply, isConnection: Bool, while attempt: String) {
        let code: Code =
            switch reply.code {
            case 403, 530: .accessRefused
            case 404: .notFound
            case 405: .resourceLocked
            case 406: .preconditionFailed
            default: isConnection ? .connectionClosed : .channelClosed
            }
        self.init(code, attempt, reply: reply)
    }
}

extension AMQPError.Reply {
    /// Whether the reply means that the broker does not know the exchange type. RabbitMQ up to 3.13 sends 503. RabbitMQ
    /// 4 sends 406, which is also its reply if the exchange exists with another type.
    fileprivate var meansUnknownExchangeType: Bool {
        code == UInt16(AMQP_COMMAND_INVALID)
            || code == UInt16(AMQP_PRECONDITION_FAILED) && text.contains("invalid exchange type")
    }
}

extension AMQPError {
    /// Returns an error that names the missing plugin if the broker does not know the exchange type. Other errors of a
    /// declaration are returned unchanged.
    func ofMissing(_ kind: AMQPExchange.Kind) -> AMQPError {
        guard let plugin = kind.plugin, let reply, reply.meansUnknownExchangeType else { return self }
        return AMQPError(
            .preconditionFailed,
            "\(message): requires the broker's plugin \(plugin), which is not enabled ('rabbitmq-plugins enable \(plugin)' "
                + "on each node)", reply: reply)
    }
}

extension amqp_rpc_reply_t {
    /// Throws an error unless the reply is the expected answer.
    ///
    /// - Throws: the error that the library or the broker reported.
    func check(_ attempt: String) throws(AMQPError) {
        switch reply_type {
        case AMQP_RESPONSE_NORMAL:
            return
        case AMQP_RESPONSE_SERVER_EXCEPTION where reply.id == CRABBITMQ_CONNECTION_CLOSE && reply.decoded != nil:
            let close = reply.decoded.load(as: amqp_connection_close_t.self)
            throw AMQPError(
                closedBy: .init(code: close.reply_code, text: close.reply_text.string), isConnection: true,
                while: attempt)
        case AMQP_RESPONSE_SERVER_EXCEPTION where reply.id == CRABBITMQ_CHANNEL_CLOSE && reply.decoded != nil:
            let close = reply.decoded.load(as: amqp_channel_close_t.self)
            throw AMQPError(
                closedBy: .init(code: close.reply_code, text: close.reply_text.string), isConnection: false,
                while: attempt)
        case AMQP_RESPONSE_LIBRARY_EXCEPTION:
            throw AMQPError(library: library_error, while: attempt)
        default:
            throw AMQPError(.protocolViolation, "\(attempt): unexpected answer")
        }
    }
}
