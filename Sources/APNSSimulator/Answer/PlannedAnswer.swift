/// What to say to a request that passed all checks.
public struct PlannedAnswer: Hashable, Sendable {
    /// The moment a 410 names in its body.
    public enum Timestamp: Hashable, Sendable {
        /// Milliseconds after the moment of the answer; negative: before.
        case afterNow(Int64)
        /// Milliseconds since 1970.
        case at(Int64)
    }

    /// The HTTP status.
    public var status: Int
    /// The body's `reason`; nil: no body. Any text, so that senders can be shown reasons they don't know.
    public var reason: String?
    public var timestamp: Timestamp?
    /// Milliseconds to wait before the answer.
    public var delayMilliseconds: Int
    /// True: the request is never answered.
    public var isWithheld: Bool
    /// A body in place of the reason's JSON, as something between us and APNs may send it.
    public var body: String?
    /// Seconds for a `retry-after` field, which Apple does not document; nil: none.
    public var retryAfter: Int?
    /// True: without `apns-id`.
    public var omitsMessageID: Bool

    public init(
        status: Int = 200, reason: String? = nil, timestamp: Timestamp? = nil, delayMilliseconds: Int = 0,
        isWithheld: Bool = false, body: String? = nil, retryAfter: Int? = nil, omitsMessageID: Bool = false
    ) {
        self.body = body
        self.retryAfter = retryAfter
        self.omitsMessageID = omitsMessageID
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.delayMilliseconds = delayMilliseconds
        self.isWithheld = isWithheld
    }

    /// The answer APNs gives with this reason; 410 says that the token died just now.
    public init(_ reason: RejectionReason, diedMillisecondsAgo: Int64 = 0) {
        self.init(
            status: reason.status, reason: reason.rawValue,
            timestamp: reason.status == 410 ? .afterNow(-diedMillisecondsAgo) : nil)
    }

    init(_ reason: RejectionReason, spelledAsDocumented: Bool) {
        self.init(reason)
        if spelledAsDocumented, reason == .badEnvironmentKeyInToken { self.reason = "BadEnvironmentKeyIdInToken" }
    }

    public static let accepted = PlannedAnswer()

    var isOdd: Bool { body != nil || retryAfter != nil || omitsMessageID }
}
