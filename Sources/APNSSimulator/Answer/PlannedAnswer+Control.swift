public import PushSimulator

/// The JSON form of an answer, for example `{"status": 410, "reason": "Unregistered", "timestamp": 1700000000000,
/// "delay_ms": 5}`. All fields are optional, except that `status` is required if APNs does not define the reason.
extension PlannedAnswer: SimulatedAnswer {
    public enum CodingKeys: String, CodingKey, CaseIterable {
        case status, reason, timestamp, delay = "delay_ms", never, body
        case retryAfter = "retry_after", omitsMessageID = "without_apns_id", omitsTimestamp = "without_timestamp"
    }

    public init(from decoder: any Decoder) throws {
        typealias Message = ControlMessage
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let reason = try container.decodeIfPresent(String.self, forKey: .reason)
        let known = reason.flatMap(RejectionReason.init(rawValue:))
        let wanted = try container.numberIfPresent(.status, in: Message.statuses)
        if let reason, known == nil, wanted == nil {
            throw SimulatorError("status: required, because APNs does not define the reason '\(reason)'")
        }
        let status = wanted ?? known?.status ?? 200
        let moment = try container.numberIfPresent(.timestamp, in: Message.numbers)
        let omitsTimestamp = try container.decodeIfPresent(Bool.self, forKey: .omitsTimestamp) ?? false
        self.init(
            status: status, reason: reason,
            timestamp: moment.map { .at(Int64($0)) } ?? (status == 410 && !omitsTimestamp ? .afterNow(0) : nil),
            delayMilliseconds: try container.numberIfPresent(.delay, in: Message.delays) ?? 0,
            isWithheld: try container.decodeIfPresent(Bool.self, forKey: .never) ?? false,
            body: try container.decodeIfPresent(String.self, forKey: .body),
            retryAfter: try container.numberIfPresent(.retryAfter, in: Message.numbers),
            omitsMessageID: try container.decodeIfPresent(Bool.self, forKey: .omitsMessageID) ?? false)
    }
}
