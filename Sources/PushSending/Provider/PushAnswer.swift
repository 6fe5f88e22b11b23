internal import HTTP2Pool
internal import PushModel

/// A provider's answer to the request for one recipient.
public struct PushAnswer: Sendable {
    public let status: Int
    /// The header fields, with names in lower case.
    public let fields: [String: String]
    /// The body. It is incomplete if ``isComplete`` is `false`.
    public let body: [UInt8]
    /// Whether the body is complete. A body longer than 65,536 bytes is cut.
    public let isComplete: Bool
    /// The delay in the field `Retry-After` in seconds, at most a day, or 0 if the field is missing or invalid.
    public let retryAfterSeconds: Int

    init(
        status: Int, fields: [String: String] = [:], body: [UInt8], isComplete: Bool = true, now: Timestamp
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.isComplete = isComplete
        var retryAfter = fields["retry-after"] ?? ""
        retryAfterSeconds = Int(retryAfter.withUTF8 { RetryAfter.seconds(UnsafeRawBufferPointer($0), now: now) } ?? 0)
    }

    init(_ answer: PoolAnswer, fields: [String: String], now: Timestamp) {
        self.init(
            status: answer.status, fields: fields, body: answer.body,
            isComplete: !answer.isTooLong && answer.cut == nil, now: now)
    }
}
