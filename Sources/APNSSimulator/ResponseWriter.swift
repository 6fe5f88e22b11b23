internal import HTTP2Session
internal import PushSimulator

/// A writer for answers in the form of APNs: status, `apns-id`, and a JSON body with the reason if the request is
/// refused. Used by one connection.
final class ResponseWriter {
    private struct Head: Hashable {
        var status: Int
        var hasBody: Bool
    }

    private struct BodyKey: Hashable {
        var reason: String
        var timestamp: Int64?
    }

    private let accepted: HTTP2Fields
    private let namesDeliveries: Bool
    private var heads: [Head: HTTP2Fields] = [:]
    // The bodies without a timestamp, by reason. Their number is small.
    private var bodies: [String: HTTP2Body] = [:]
    private var stampedBody: (key: BodyKey, body: HTTP2Body)?
    private var random = SplitMixGenerator()

    /// Creates a writer.
    ///
    /// - Parameter namesDeliveries: whether accepted pushes get an `apns-unique-id`, as in the sandbox.
    init(namesDeliveries: Bool) throws {
        accepted = try HTTP2Fields([HTTP2Field(":status", "200")])
        self.namesDeliveries = namesDeliveries
    }

    /// Writes the answer to a push.
    ///
    /// - Parameters:
    ///   - messageID: the `apns-id` of the request, or `nil` to generate one.
    ///   - withoutBody: whether to omit the body, as in an answer to HEAD.
    func write(
        _ answer: PlannedAnswer, messageID: MessageID?, withoutBody: Bool, to request: Int,
        on connection: SimulatorConnection
    ) throws(HTTP2Error) {
        let messageID = messageID ?? MessageID(from: &random)
        if answer.isOdd { return try writeOdd(answer, messageID, to: request, on: connection) }
        guard answer.status == 200, answer.reason == nil else {
            let body = answer.reason.map { self.body($0, timestamp(answer, connection.now)) }
            let head = try head(Head(status: answer.status, hasBody: body != nil))
            return respond(head, withoutBody ? nil : body, messageID, to: request, on: connection)
        }
        guard namesDeliveries else { return respond(accepted, nil, messageID, to: request, on: connection) }
        messageID.withUnsafeBytes { messageID in
            MessageID(from: &random).withUnsafeBytes { deliveryID in
                connection.respond(to: request, fields: accepted) { fields in
                    fields.append("apns-id", messageID)
                    fields.append("apns-unique-id", deliveryID)
                }
            }
        }
    }

    /// Writes an answer that APNs has not been seen to send, but that a proxy may send.
    private func writeOdd(
        _ answer: PlannedAnswer, _ messageID: MessageID, to request: Int, on connection: SimulatorConnection
    ) throws(HTTP2Error) {
        var fields: [HTTP2Field] = []
        if let seconds = answer.retryAfter { fields.append(HTTP2Field("retry-after", String(seconds))) }
        var body = answer.body.map { HTTP2Body($0.utf8) }
        if body == nil, let reason = answer.reason {
            body = self.body(reason, timestamp(answer, connection.now))
            fields.append(HTTP2Field("content-type", "application/json"))
        }
        if !answer.omitsMessageID { fields.append(HTTP2Field("apns-id", messageID.description)) }
        try connection.respond(to: request, status: answer.status, fields: fields, body: body)
    }

    /// Writes the answer to a broadcast or a channel request.
    func write(
        _ reply: BroadcastChannelReply, withoutBody: Bool, to request: Int, on connection: SimulatorConnection
    ) throws(HTTP2Error) {
        try connection.respond(
            to: request, status: reply.status, fields: reply.fields.map { HTTP2Field($0.key, $0.value) },
            body: withoutBody ? nil : reply.body.map { HTTP2Body($0.utf8) })
    }

    private func respond(
        _ head: HTTP2Fields, _ body: HTTP2Body?, _ messageID: MessageID, to request: Int,
        on connection: SimulatorConnection
    ) {
        messageID.withUnsafeBytes { id in
            connection.respond(to: request, fields: head, body: body) { $0.append("apns-id", id) }
        }
    }

    private func timestamp(_ answer: PlannedAnswer, _ now: Int64) -> Int64? {
        switch answer.timestamp {
        case .none: nil
        case .afterNow(let milliseconds): now + milliseconds
        case .at(let moment): moment
        }
    }

    private func head(_ head: Head) throws(HTTP2Error) -> HTTP2Fields {
        if let fields = heads[head] {
            return fields
        }
        let status = HTTP2Field(":status", String(head.status))
        let type = HTTP2Field("content-type", "application/json")
        let fields = try HTTP2Fields(head.hasBody ? [status, type] : [status])
        heads[head] = fields
        return fields
    }

    private func body(_ reason: String, _ timestamp: Int64?) -> HTTP2Body {
        guard let timestamp else {
            if let body = bodies[reason] { return body }
            let body = HTTP2Body(#"{"reason":\#(jsonText(reason))}"#.utf8)
            bodies[reason] = body
            return body
        }
        // Answers with the same reason in the same millisecond share a body.
        let key = BodyKey(reason: reason, timestamp: timestamp)
        if let stampedBody, stampedBody.key == key { return stampedBody.body }
        let body = HTTP2Body(#"{"reason":\#(jsonText(reason)),"timestamp":\#(timestamp)}"#.utf8)
        stampedBody = (key, body)
        return body
    }
}
