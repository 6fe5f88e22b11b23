public import PushSimulator

/// What is said to a push, or done in place of an answer.
public struct PlannedWebPushAnswer: Hashable, Sendable {
    /// What comes in place of an answer.
    public enum Loss: String, CaseIterable, Codable, Sendable {
        /// Nothing, ever.
        case silence
        /// A reset of the stream, or the end of an HTTP/1.1 connection, after the request was taken in whole.
        case reset
        /// The end of the connection, without a word.
        case cut
    }

    /// nil: accepted.
    public var fault: WebPushReason?
    /// In place of the persona's status for it.
    public var otherStatus: Int?
    /// Seconds for a `retry-after` field; nil: none, or the persona's own.
    public var retryAfter: Int?
    /// In place of the `location` that goes with it.
    public var location: String?
    /// Milliseconds to wait before it.
    public var delayMilliseconds: Int
    public var loss: Loss?
    /// What is wrong, for people.
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

    /// When it is due.
    var when: AnswerTime {
        switch loss {
        case nil: .after(milliseconds: delayMilliseconds)
        case .silence: .never
        case .reset: .reset(afterMilliseconds: delayMilliseconds)
        case .cut: .cut(afterMilliseconds: delayMilliseconds)
        }
    }
}

/// `{"fault": "unavailable", "status": 503, "retry_after": 30, "location": "…", "delay_ms": 5, "loss": "reset"}`; all optional.
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
