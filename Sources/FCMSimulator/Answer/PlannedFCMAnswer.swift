public import PushSimulator

/// What is said to a request, or done in place of an answer.
public struct PlannedFCMAnswer: Hashable, Sendable {
    /// What comes in place of an answer.
    public enum Loss: String, CaseIterable, Codable, Sendable {
        /// Nothing, ever.
        case silence
        /// A reset of the stream, after the request was taken in whole.
        case reset
        /// The end of the connection, without a word.
        case cut
    }

    /// nil: accepted.
    public var fault: FCMReason?
    /// In place of the fault's.
    public var message: String?
    /// Seconds for a `retry-after` field; nil: none.
    public var retryAfter: Int?
    /// Milliseconds to wait before it.
    public var delayMilliseconds: Int
    public var loss: Loss?
    /// The field of the message that is to blame.
    var field: String?

    public init(
        _ fault: FCMReason? = nil, message: String? = nil, retryAfter: Int? = nil, delayMilliseconds: Int = 0,
        loss: Loss? = nil
    ) {
        self.fault = fault
        self.message = message
        self.retryAfter = retryAfter
        self.delayMilliseconds = delayMilliseconds
        self.loss = loss
    }

    /// The answer to a message with this fault.
    init(_ fault: MessageFault) {
        self.init(fault.isOfFCM ? .invalidArgument : .invalidPayload, message: fault.description)
        field = fault.field
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

/// `{"fault": "UNAVAILABLE", "message": "…", "retry_after": 30, "delay_ms": 5, "loss": "reset"}`; all optional.
extension PlannedFCMAnswer: SimulatedAnswer {
    public static let accepted = PlannedFCMAnswer()
    public var status: Int { fault?.status ?? 200 }
    public var reason: String? { fault?.rawValue }
    public var isWithheld: Bool { loss == .silence }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case fault, message, retryAfter = "retry_after", delay = "delay_ms", loss
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.wordIfPresent(.fault, of: FCMReason.self),
            message: try container.decodeIfPresent(String.self, forKey: .message),
            retryAfter: try container.numberIfPresent(.retryAfter, in: ControlMessage.numbers),
            delayMilliseconds: try container.numberIfPresent(.delay, in: ControlMessage.delays) ?? 0,
            loss: try container.wordIfPresent(.loss, of: Loss.self))
    }
}
