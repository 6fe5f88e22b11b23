/// The answer to a push: the refusal after a failed check, or the answer to a push that passed all checks.
public struct PlannedAnswer: Hashable, Sendable {
    /// The timestamp in the body of a 410.
    public enum Timestamp: Hashable, Sendable {
        /// A time relative to the answer, in milliseconds. Negative values are in the past.
        case afterNow(Int64)
        /// An absolute time in milliseconds since 1970.
        case at(Int64)
    }

    public var status: Int
    /// The `reason` in the JSON body, or `nil` for no such body. Any text is allowed, so that tests can use unknown
    /// reasons.
    public var reason: String?
    public var timestamp: Timestamp?
    /// The delay before the answer, in milliseconds.
    public var delayMilliseconds: Int
    /// Whether the answer is withheld, so that the request is never answered.
    public var isWithheld: Bool
    /// A body in place of the JSON with the reason, or `nil` for the JSON. A proxy on the way to APNs may send such a
    /// body.
    public var body: String?
    /// The value of a `retry-after` field in seconds, or `nil` for none. Apple does not document this field.
    public var retryAfter: Int?
    /// Whether the answer lacks the field `apns-id`.
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

    /// Creates the answer that APNs gives with a reason.
    ///
    /// - Parameter diedMillisecondsAgo: the age of the timestamp in a 410, in milliseconds.
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

    /// Whether the answer has a form that APNs itself has not been seen to send.
    var isOdd: Bool { body != nil || retryAfter != nil || omitsMessageID }
}
