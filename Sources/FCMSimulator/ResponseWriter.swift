internal import HTTP2Session
internal import PushSimulator

/// A writer for answers in Google's format. Used by one connection.
final class ResponseWriter {
    private let accepted: HTTP2Fields
    private var random = SplitMixGenerator()

    init() throws {
        accepted = try HTTP2Fields([
            HTTP2Field(":status", "200"), HTTP2Field("content-type", "application/json; charset=UTF-8"),
        ])
    }

    /// Writes the answer that accepts a message.
    ///
    /// - Parameter send: the parsed request, or `nil` if it is not available.
    func accept(_ send: SendRequest?, project: String, _ request: Int, on connection: SimulatorConnection) {
        let body = #"{"name":"projects/\#(project)/messages/\#(name(send, connection.now))"}"#
        connection.respond(to: request, fields: accepted, body: HTTP2Body(body.utf8))
    }

    /// Returns a message name in FCM's format: the time in microseconds and two hex numbers, or one number for topics.
    private func name(_ send: SendRequest?, _ now: Int64) -> String {
        if send?.isDryRun ?? false { return "fake_message_id" }
        let number = UInt64.random(in: 1...(.max), using: &random)
        if send?.target.isBroadcast ?? false { return String(number >> 1) }
        let digits = String(number, radix: 16)
        let hex = String(repeating: "0", count: 16 - digits.count) + digits
        return "0:\(now * 1_000 + Int64(number % 1_000))%\(hex)\(hex)"
    }

    /// Writes the answer that refuses a request.
    func refuse(
        _ answer: PlannedFCMAnswer, _ fault: FCMReason, withoutBody: Bool, _ request: Int,
        on connection: SimulatorConnection
    ) throws(HTTP2Error) {
        var fields: [HTTP2Field] = []
        if let seconds = answer.retryAfter { fields.append(HTTP2Field("retry-after", String(seconds))) }
        if fault.status == 401 {
            fields.append(HTTP2Field("www-authenticate", #"Bearer realm="https://accounts.google.com/""#))
        }
        let type = fault.word == nil ? "text/html; charset=UTF-8" : "application/json; charset=UTF-8"
        fields.append(HTTP2Field("content-type", type))
        try connection.respond(
            to: request, status: fault.status, fields: fields,
            body: withoutBody ? nil : HTTP2Body(ErrorText(answer, fault).text.utf8))
    }

    /// Writes an answer from the token endpoint.
    func write(_ reply: TokenEndpoint.Reply, _ request: Int, on connection: SimulatorConnection) throws(HTTP2Error) {
        try connection.respond(
            to: request, status: reply.status,
            fields: [
                HTTP2Field("content-type", "application/json; charset=UTF-8"), HTTP2Field("cache-control", "no-store"),
            ], body: HTTP2Body(reply.body.utf8))
    }
}
