internal import HTTP2Session

/// Writes answers in APNs' form: status, `apns-id`, and for a refusal a JSON body with the reason. Of one
/// event loop.
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
    // Bodies without a timestamp; there are few.
    private var bodies: [String: HTTP2Body] = [:]
    private var stampedBody: (key: BodyKey, body: HTTP2Body)?
    private var random: SplitMixGenerator

    /// - Parameter namesDeliveries: true: accepted pushes get an `apns-unique-id`, as in the sandbox.
    init(namesDeliveries: Bool) throws {
        accepted = try HTTP2Fields([HTTP2Field(":status", "200")])
        self.namesDeliveries = namesDeliveries
        var seed = SystemRandomNumberGenerator()
        random = SplitMixGenerator(state: seed.next())
    }

    /// - Parameters:
    ///   - messageID: the request's own `apns-id`; nil: one is made up.
    ///   - now: milliseconds since 1970.
    ///   - withoutBody: true: as an answer to HEAD.
    func write(
        _ answer: PlannedAnswer, messageID: MessageID?, withoutBody: Bool = false, to stream: Int32,
        on session: HTTP2ServerSession, now: Int64
    ) throws {
        if answer.isOdd { return try writeOdd(answer, messageID: messageID, to: stream, on: session, now) }
        let messageID = messageID ?? MessageID(from: &random)
        guard answer.status == 200, answer.reason == nil else {
            let body = answer.reason.map { self.body($0, timestamp(answer, now)) }
            let head = try head(Head(status: answer.status, hasBody: body != nil))
            return try respond(head, withoutBody ? nil : body, messageID, to: stream, on: session)
        }
        guard namesDeliveries else {
            return try respond(accepted, nil, messageID, to: stream, on: session)
        }
        try messageID.withUnsafeBytes { messageID in
            try MessageID(from: &random).withUnsafeBytes { deliveryID in
                try session.respond(to: stream, fields: accepted) { fields in
                    fields.append("apns-id", messageID)
                    fields.append("apns-unique-id", deliveryID)
                }
            }
        }
    }

    /// What no APNs has been seen to send, but something on the way may.
    private func writeOdd(
        _ answer: PlannedAnswer, messageID: MessageID?, to stream: Int32, on session: HTTP2ServerSession,
        _ now: Int64
    ) throws {
        var fields = [HTTP2Field(":status", String(answer.status))]
        if let seconds = answer.retryAfter { fields.append(HTTP2Field("retry-after", String(seconds))) }
        var body = answer.body.map { HTTP2Body($0.utf8) }
        if body == nil, let reason = answer.reason {
            body = self.body(reason, timestamp(answer, now))
            fields.append(HTTP2Field("content-type", "application/json"))
        }
        let head = try HTTP2Fields(fields)
        guard !answer.omitsMessageID else { return try session.respond(to: stream, fields: head, body: body) { _ in } }
        try respond(head, body, messageID ?? MessageID(from: &random), to: stream, on: session)
    }

    private func respond(
        _ head: HTTP2Fields, _ body: HTTP2Body?, _ messageID: MessageID, to stream: Int32,
        on session: HTTP2ServerSession
    ) throws {
        try messageID.withUnsafeBytes { messageID in
            try session.respond(to: stream, fields: head, body: body) { $0.append("apns-id", messageID) }
        }
    }

    private func timestamp(_ answer: PlannedAnswer, _ now: Int64) -> Int64? {
        switch answer.timestamp {
        case .none: nil
        case .afterNow(let milliseconds): now + milliseconds
        case .at(let moment): moment
        }
    }

    private func head(_ head: Head) throws -> HTTP2Fields {
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
        // Answers of the same millisecond share a body.
        let key = BodyKey(reason: reason, timestamp: timestamp)
        if let stampedBody, stampedBody.key == key { return stampedBody.body }
        let body = HTTP2Body(#"{"reason":\#(jsonText(reason)),"timestamp":\#(timestamp)}"#.utf8)
        stampedBody = (key, body)
        return body
    }
}

/// A string as JSON writes it (RFC 8259, section 7).
func jsonText(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
        switch scalar {
        case "\"", "\\": text += "\\\(scalar)"
        case "\0"..."\u{1f}":
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: text.unicodeScalars.append(scalar)
        }
    }
    return text + "\""
}

/// A fast generator for identifiers that need to be different and nothing more.
struct SplitMixGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
