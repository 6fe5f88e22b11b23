extension ControlMessage {
    /// An answer: `{"status": 410, "reason": "Unregistered", "timestamp": 1700000000000, "delay_ms": 5,
    /// "never": false}`; all but `status` and `reason` optional, and `status` too where the reason is APNs' own.
    struct Answer: ControlBody {
        let planned: PlannedAnswer
        /// So many requests are accepted before it is given; for single tokens only.
        let after: Int

        enum CodingKeys: String, CodingKey, CaseIterable {
            case status, reason, timestamp, delay = "delay_ms", never, after, body
            case retryAfter = "retry_after", omitsMessageID = "without_apns_id", omitsTimestamp = "without_timestamp"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let reason = try container.decodeIfPresent(String.self, forKey: .reason)
            let known = reason.flatMap(RejectionReason.init(rawValue:))
            let wanted = try container.numberIfPresent(.status, in: 200...599)
            if let reason, known == nil, wanted == nil {
                throw SimulatorError("status: missing, and '\(reason)' is not a reason of APNs")
            }
            let status = wanted ?? known?.status ?? 200
            let moment = try container.numberIfPresent(.timestamp, in: numbers)
            let omitsTimestamp = try container.decodeIfPresent(Bool.self, forKey: .omitsTimestamp) ?? false
            planned = PlannedAnswer(
                status: status, reason: reason,
                timestamp: moment.map { .at(Int64($0)) } ?? (status == 410 && !omitsTimestamp ? .afterNow(0) : nil),
                delayMilliseconds: try container.numberIfPresent(.delay, in: delays) ?? 0,
                isWithheld: try container.decodeIfPresent(Bool.self, forKey: .never) ?? false,
                body: try container.decodeIfPresent(String.self, forKey: .body),
                retryAfter: try container.numberIfPresent(.retryAfter, in: numbers),
                omitsMessageID: try container.decodeIfPresent(Bool.self, forKey: .omitsMessageID) ?? false)
            after = try container.numberIfPresent(.after, in: numbers) ?? 0
        }
    }
}
