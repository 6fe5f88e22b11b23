/// The JSON bodies of the control endpoint.
enum ControlMessage {
    /// An answer: `{"status": 410, "reason": "Unregistered", "timestamp": 1700000000000, "delay_ms": 5,
    /// "never": false}`; all but `status` and `reason` optional, and `status` too where the reason is APNs' own.
    struct Answer: Codable {
        var status: Int?
        var reason: String?
        /// Milliseconds since 1970.
        var timestamp: Int64?
        var delayMilliseconds: Int?
        var never: Bool?

        enum CodingKeys: String, CodingKey {
            case status, reason, timestamp, delayMilliseconds = "delay_ms", never
        }

        /// - Throws: ``SimulatorError`` naming the field at fault.
        func planned() throws -> PlannedAnswer {
            let known = reason.flatMap(RejectionReason.init(rawValue:))
            let status = status ?? known?.status ?? 200
            guard (200...599).contains(status) else {
                throw SimulatorError("status: \(status) is not between 200 and 599")
            }
            if let reason, known == nil, self.status == nil {
                throw SimulatorError("status: missing, and '\(reason)' is not a reason of APNs")
            }
            guard (0...3_600_000).contains(delayMilliseconds ?? 0) else {
                throw SimulatorError("delay_ms: not between 0 and 3600000")
            }
            return PlannedAnswer(
                status: status, reason: reason,
                timestamp: timestamp.map { .at($0) } ?? (status == 410 ? .afterNow(0) : nil),
                delayMilliseconds: delayMilliseconds ?? 0, isWithheld: never ?? false)
        }
    }

    struct NextAnswers: Codable {
        var count: Int
        var answer: Answer
    }

    struct Key: Codable {
        var team: String
        var keyID: String
        /// A public key or a `.p8`.
        var pem: String

        enum CodingKeys: String, CodingKey {
            case team, keyID = "key_id", pem
        }
    }

    struct GoAway: Codable {
        var reason: String?
        var code: UInt32?
        var lastStreamID: Int32?
        var twoSteps: Bool?

        enum CodingKeys: String, CodingKey {
            case reason, code, lastStreamID = "last_stream_id", twoSteps = "two_steps"
        }
    }

    struct StreamLimit: Codable {
        var limit: Int
    }

    struct Recording: Codable {
        var on: Bool
    }

    struct Recorded: Codable {
        var arrivals: [String: Int]
        var requests: [RecordedRequest]
    }
}
