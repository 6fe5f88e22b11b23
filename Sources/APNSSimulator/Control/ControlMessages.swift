/// The JSON bodies of the control endpoint.
enum ControlMessage {
    /// An answer: `{"status": 410, "reason": "Unregistered", "timestamp": 1700000000000, "delay_ms": 5,
    /// "never": false}`; all but `status` and `reason` optional, and `status` too where the reason is APNs' own.
    struct Answer: Decodable {
        var status: Int?
        var reason: String?
        /// Milliseconds since 1970.
        var timestamp: Int64?
        var delayMilliseconds: Int?
        var never: Bool?
        /// True: a 410 without the moment.
        var omitsTimestamp: Bool?
        /// So many requests are accepted before it is given; for single tokens only.
        var after: Int?
        var body: String?
        /// Seconds.
        var retryAfter: Int?
        var omitsMessageID: Bool?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case status, reason, timestamp, delayMilliseconds = "delay_ms", never, after, body, retryAfter =
                "retry_after"
            case omitsMessageID = "without_apns_id", omitsTimestamp = "without_timestamp"
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseOtherKeys(than: CodingKeys.allCases)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            status = try container.decodeIfPresent(Int.self, forKey: .status)
            reason = try container.decodeIfPresent(String.self, forKey: .reason)
            timestamp = try container.decodeIfPresent(Int64.self, forKey: .timestamp)
            delayMilliseconds = try container.decodeIfPresent(Int.self, forKey: .delayMilliseconds)
            never = try container.decodeIfPresent(Bool.self, forKey: .never)
            after = try container.decodeIfPresent(Int.self, forKey: .after)
            body = try container.decodeIfPresent(String.self, forKey: .body)
            retryAfter = try container.decodeIfPresent(Int.self, forKey: .retryAfter)
            omitsMessageID = try container.decodeIfPresent(Bool.self, forKey: .omitsMessageID)
            omitsTimestamp = try container.decodeIfPresent(Bool.self, forKey: .omitsTimestamp)
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
                timestamp: timestamp.map { .at($0) } ?? (status == 410 && omitsTimestamp != true ? .afterNow(0) : nil),
                delayMilliseconds: delayMilliseconds ?? 0, isWithheld: never ?? false, body: body,
                retryAfter: retryAfter, omitsMessageID: omitsMessageID ?? false)
        }
    }

    struct NextAnswers: Decodable {
        var count: Int
        var answer: Answer

        func checkedCount() throws -> Int {
            guard count > 0 else { throw SimulatorError("count: must be at least 1") }
            return count
        }
    }

    struct Key: Decodable {
        var team: String
        var keyID: String
        /// A public key or a `.p8`.
        var pem: String
        /// Both, unless given.
        var environments: [String]?
        var topics: [String]?
        var relatedKeyID: String?

        enum CodingKeys: String, CodingKey {
            case team, keyID = "key_id", pem, environments, topics, relatedKeyID = "related_key_id"
        }

        /// - Throws: ``SimulatorError`` naming the field at fault.
        func scope() throws -> TokenKey.Scope {
            var scope = TokenKey.Scope(topics: Set(topics ?? []), relatedKeyID: relatedKeyID)
            guard let environments else { return scope }
            scope.environments = Set(
                try environments.map { name in
                    guard let environment = SimulatorConfiguration.Environment(rawValue: name) else {
                        throw SimulatorError("environments: '\(name)' is neither production nor sandbox")
                    }
                    return environment
                })
            return scope
        }
    }

    /// `{"key_id": "…", "reason": "InvalidProviderToken", "topics": []}`; without a reason the key is good again.
    struct RefusedKey: Decodable {
        let keyID: String
        let refusal: KeyRefusal?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case keyID = "key_id", reason, topics
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseOtherKeys(than: CodingKeys.allCases)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            keyID = try container.decode(String.self, forKey: .keyID)
            let topics = try container.decodeIfPresent([String].self, forKey: .topics)
            guard let name = try container.decodeIfPresent(String.self, forKey: .reason) else {
                if topics != nil { throw SimulatorError("reason: missing, and there are topics") }
                refusal = nil
                return
            }
            guard let reason = RejectionReason(rawValue: name) else {
                throw SimulatorError("reason: '\(name)' is not a reason of APNs")
            }
            refusal = KeyRefusal(reason, topics: Set(topics ?? []))
        }
    }

    struct GoAway: Decodable {
        var reason: String?
        var code: UInt32?
        var lastStreamID: Int32?
        var twoSteps: Bool?

        var fault: GoAwayFault {
            GoAwayFault(
                lastStreamID: lastStreamID, code: code ?? 0, reason: reason, announcesFirst: twoSteps ?? false)
        }

        enum CodingKeys: String, CodingKey, CaseIterable {
            case reason, code, lastStreamID = "last_stream_id", twoSteps = "two_steps"
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseOtherKeys(than: CodingKeys.allCases)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            reason = try container.decodeIfPresent(String.self, forKey: .reason)
            code = try container.decodeIfPresent(UInt32.self, forKey: .code)
            lastStreamID = try container.decodeIfPresent(Int32.self, forKey: .lastStreamID)
            twoSteps = try container.decodeIfPresent(Bool.self, forKey: .twoSteps)
        }
    }

    struct StreamLimit: Decodable {
        var limit: Int

        func checked() throws -> Int {
            guard limit >= 0 else { throw SimulatorError("limit: must not be negative") }
            return limit
        }
    }

    struct StreamRefusal: Decodable {
        var count: Int

        func checked() throws -> Int {
            guard count >= 0 else { throw SimulatorError("count: must not be negative") }
            return count
        }
    }

    /// `{"answer": {…}, "answer_delay_ms": 0, "window_delay_ms": 0, "silence": "none"}`, all optional.
    struct Standing: Decodable {
        let faults: StandingFaults

        enum CodingKeys: String, CodingKey, CaseIterable {
            case answer, answerDelay = "answer_delay_ms", windowDelay = "window_delay_ms", silence
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseOtherKeys(than: CodingKeys.allCases)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func milliseconds(_ key: CodingKeys) throws -> Int {
                let value = try container.decodeIfPresent(Int.self, forKey: key) ?? 0
                guard (0...3_600_000).contains(value) else {
                    throw SimulatorError("\(key.rawValue): not between 0 and 3600000")
                }
                return value
            }
            var faults = StandingFaults()
            faults.answer = try container.decodeIfPresent(Answer.self, forKey: .answer)?.planned()
            faults.answerDelayMilliseconds = try milliseconds(.answerDelay)
            faults.windowDelayMilliseconds = try milliseconds(.windowDelay)
            if let name = try container.decodeIfPresent(String.self, forKey: .silence) {
                guard let silence = StandingFaults.Silence(rawValue: name) else {
                    throw SimulatorError("silence: '\(name)' is none of none, answers, all")
                }
                faults.silence = silence
            }
            self.faults = faults
        }
    }

    struct Recording: Decodable {
        var on: Bool
    }

    struct Recorded: Encodable {
        var arrivals: [String: Int]
        var accepted: [String: Int]
        var requests: [RecordedRequest]
    }
}

extension Decoder {
    /// Where every field is optional, a misspelt one would otherwise pass as nothing said.
    func refuseOtherKeys(than known: [some CodingKey]) throws {
        let present = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        let names = Set(known.map(\.stringValue))
        if let unknown = present.first(where: { !names.contains($0) }) {
            throw SimulatorError("\(unknown): unknown field; known are \(names.sorted().joined(separator: ", "))")
        }
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}
