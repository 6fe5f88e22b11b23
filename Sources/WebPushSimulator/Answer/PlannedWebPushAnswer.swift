public import PushSimulator

/// The answer to a push, or a failure in place of the answer.
public struct PlannedWebPushAnswer: Hashable, Sendable {
    /// A failure in place of the answer.
    public enum Loss: String, CaseIterable, Codable, Sendable {
        /// The push is never answered.
        case silence
        /// The stream is reset, or the HTTP/1.1 connection is closed, after the complete request was received.
        case reset
        /// The connection is closed without notice.
        case cut
    }

    /// The reason for refusing the push, or `nil` if it is accepted.
    public var fault: WebPushReason?
    /// A status that replaces the persona's status, or `nil` for the persona's status.
    public var otherStatus: Int?
    /// The value of a `retry-after` field in seconds, or `nil` for the persona's default.
    public var retryAfter: Int?
    /// A URL that replaces the persona's `location`, or `nil` for the persona's location.
    public var location: String?
    /// The delay before the answer, in milliseconds.
    public var delayMilliseconds: Int
    public var loss: Loss?
    /// A description of the problem for people, or `nil`.
    var detail: String?

    public init(
        _ fault: WebPushReason? = nil, status: Int? = nil, retryAfter: Int? = nil, location: String? = nil,
        delayMilliseconds: Int = 0, loss: Loss? = nil
    ) {
        self.fault = fault
        self.otherStatus = status
        self.retryAfter = retryAfter
        self.location = location
        self.delayMilliseconds = delayMilliseconds
        self.loss = loss
    }

    init(_ fault: WebPushReason, _ detail: String) {
        self.init(fault)
        self.detail = detail
    }

    /// The time of the answer, or the failure in place of it.
    var when: AnswerTime {
        switch loss {
        case nil: .after(milliseconds: delayMilliseconds)
        case .silence: .never
        case .reset: .reset(afterMilliseconds: delayMilliseconds)
        case .cut: .cut(afterMilliseconds: delayMilliseconds)
        }
    }
}

/// The JSON form of an answer: `{"fault": "unavailable", "status": 503, "retry_after": 30, "location": "…", "delay_ms":
/// 5, "loss": "reset"}`. All fields are optional.
extension PlannedWebPushAnswer: SimulatedAnswer {
    public static let accepted = PlannedWebPushAnswer()
    public var status: Int { otherStatus ?? (fault == nil ? 201 : 500) }
    public var reason: String? { fault?.rawValue }
    public var isWithheld: Bool { loss == .silence }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case fault, status, retryAfter = "retry_after", location, delay = "delay_ms", loss
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.wordIfPresent(.fault, of: WebPushReason.self),
            status: try container.numberIfPresent(.status, in: ControlMessage.statuses),
            retryAfter: try container.numberIfPresent(.retryAfter, in: ControlMessage.numbers),
            location: try container.decodeIfPresent(String.self, forKey: .location),
            delayMilliseconds: try container.numberIfPresent(.delay, in: ControlMessage.delays) ?? 0,
            loss: try container.wordIfPresent(.loss, of: Loss.self))
    }
}
