/// The JSON bodies of the control endpoint.
enum ControlMessage {
    /// Milliseconds of an answer's delay: up to an hour.
    static let delays = 0...3_600_000
    /// Milliseconds since 1970 of some moment, and numbers of anything: what every reader of JSON takes for the same.
    static let numbers = 0...(1 << 53)

    struct NextAnswers: ControlBody {
        let count: Int
        let answer: PlannedAnswer

        enum CodingKeys: String, CodingKey, CaseIterable {
            case count, answer
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            count = try container.number(.count, in: 1...numbers.upperBound)
            let wanted = try container.decode(Strict<Answer>.self, forKey: .answer).body
            guard wanted.after == 0 else { throw SimulatorError("after: for single tokens only") }
            answer = wanted.planned
        }
    }

    struct Key: ControlBody {
        let key: TokenKey

        enum CodingKeys: String, CodingKey, CaseIterable {
            case team, keyID = "key_id", pem, environments, topics, relatedKeyID = "related_key_id"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var key = try TokenKey(
                team: try container.decode(String.self, forKey: .team),
                keyID: try container.decode(String.self, forKey: .keyID),
                // A public key or a `.p8`.
                pem: try container.decode(String.self, forKey: .pem))
            key.scope.topics = Set(try container.decodeIfPresent([String].self, forKey: .topics) ?? [])
            key.scope.relatedKeyID = try container.decodeIfPresent(String.self, forKey: .relatedKeyID)
            if let names = try container.decodeIfPresent([String].self, forKey: .environments) {
                key.scope.environments = Set(try names.map(Self.environment))
            }
            self.key = key
        }

        private static func environment(_ name: String) throws -> SimulatorConfiguration.Environment {
            guard let environment = SimulatorConfiguration.Environment(rawValue: name) else {
                throw SimulatorError("environments: '\(name)' is neither production nor sandbox")
            }
            return environment
        }
    }

    /// `{"key_id": "…", "reason": "InvalidProviderToken", "topics": []}`; without a reason the key is good again.
    struct RefusedKey: ControlBody {
        let keyID: String
        let refusal: KeyRefusal?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case keyID = "key_id", reason, topics
        }

        init(from decoder: any Decoder) throws {
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

    struct GoAway: ControlBody {
        let fault: GoAwayFault

        enum CodingKeys: String, CodingKey, CaseIterable {
            case reason, code, lastStreamID = "last_stream_id", twoSteps = "two_steps"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            fault = GoAwayFault(
                lastStreamID: try container.numberIfPresent(.lastStreamID, in: 0...Int(Int32.max)).map(Int32.init),
                code: UInt32(try container.numberIfPresent(.code, in: 0...Int(UInt32.max)) ?? 0),
                reason: try container.decodeIfPresent(String.self, forKey: .reason),
                announcesFirst: try container.decodeIfPresent(Bool.self, forKey: .twoSteps) ?? false)
        }
    }

    struct StreamLimit: ControlBody {
        let limit: Int

        enum CodingKeys: String, CodingKey, CaseIterable {
            case limit
        }

        init(from decoder: any Decoder) throws {
            limit = try decoder.container(keyedBy: CodingKeys.self).number(.limit, in: 0...Int(UInt32.max))
        }
    }

    struct StreamRefusal: ControlBody {
        let count: Int

        enum CodingKeys: String, CodingKey, CaseIterable {
            case count
        }

        init(from decoder: any Decoder) throws {
            count = try decoder.container(keyedBy: CodingKeys.self).number(.count, in: numbers)
        }
    }

    /// `{"answer": {…}, "answer_delay_ms": 0, "window_delay_ms": 0, "silence": "none"}`, all optional.
    struct Standing: ControlBody {
        let faults: StandingFaults

        enum CodingKeys: String, CodingKey, CaseIterable {
            case answer, answerDelay = "answer_delay_ms", windowDelay = "window_delay_ms", silence
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var faults = StandingFaults()
            if let answer = try container.decodeIfPresent(Strict<Answer>.self, forKey: .answer)?.body {
                guard answer.after == 0 else { throw SimulatorError("after: for single tokens only") }
                faults.answer = answer.planned
            }
            faults.answerDelayMilliseconds = try container.numberIfPresent(.answerDelay, in: delays) ?? 0
            faults.windowDelayMilliseconds = try container.numberIfPresent(.windowDelay, in: delays) ?? 0
            if let name = try container.decodeIfPresent(String.self, forKey: .silence) {
                guard let silence = StandingFaults.Silence(rawValue: name) else {
                    throw SimulatorError("silence: '\(name)' is none of none, answers, all")
                }
                faults.silence = silence
            }
            self.faults = faults
        }
    }

    struct Recording: ControlBody {
        let on: Bool

        enum CodingKeys: String, CodingKey, CaseIterable {
            case on
        }
    }

    struct Recorded: Encodable {
        var arrivals: [String: Int]
        var accepted: [String: Int]
        var requests: [RecordedRequest]
    }
}
