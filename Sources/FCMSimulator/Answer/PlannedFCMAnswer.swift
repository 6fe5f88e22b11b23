public import PushSimulator

/// The answer to a request, or a failure in place of the answer.
public struct PlannedFCMAnswer: Hashable, Sendable {
    /// A failure in place of the answer.
    public enum Loss: String, CaseIterable, Codable, Sendable {
        /// The request is never answered.
        case silence
        /// The stream is reset after the complete request was received.
        case reset
        /// The connection is closed without notice.
        case cut
    }

    /// The reason for refusing the request, or `nil` to accept it.
    public var fault: FCMReason?
    /// The error message, or `nil` for the default message of the fault.
    public var message: String?
    /// The value of a `retry-after` field in seconds, or `nil` for none.
    public var retryAfter: Int?
    /// The delay before the answer, in milliseconds.
    public var delayMilliseconds: Int
    public var loss: Loss?
    /// The field of the message that is at fault, or `nil` for the fault's default.
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

    /// Creates the refusal of a message that has a fault.
    init(_ fault: MessageFault) {
        self.init(fault.isOfFCM ? .invalidArgument : .invalidPayload, message: fault.description)
        field = fault.field
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

/// The JSON form of an answer: `{"fault": "UNAVAILABLE", "message": "…", "retry_after": 30, "delay_ms": 5, "loss":
/// "reset"}`. All fields are optional.
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
