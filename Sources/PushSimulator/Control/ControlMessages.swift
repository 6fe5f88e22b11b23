/// The JSON bodies of control requests.
package enum ControlMessage {
    /// The allowed range of delays of answers and windows, in milliseconds. The maximum is one hour.
    package static let delays = 0...3_600_000
    /// The allowed range of timestamps, in milliseconds since 1970, and of other numbers. All JSON readers represent
    /// these integers exactly.
    package static let numbers = 0...(1 << 53)
    /// The allowed range of HTTP statuses.
    package static let statuses = 200...599
    /// The allowed range of times in a script, in milliseconds. The maximum is one year.
    static let times = 0...(365 * 24 * 3_600_000)

    /// An answer, and the number of requests for its token to accept before the answer applies.
    struct Choice<Answer: SimulatedAnswer>: Decodable, Sendable {
        let answer: Answer
        let after: Int

        private static var key: AnyKey { AnyKey("after") }

        init(from decoder: any Decoder) throws {
            try decoder.refuseOtherKeys(than: Answer.CodingKeys.allCases.map(\.stringValue) + [Self.key.stringValue])
            answer = try Answer(from: decoder)
            after = try decoder.container(keyedBy: AnyKey.self).numberIfPresent(Self.key, in: numbers) ?? 0
        }

        /// Returns the answer if it may apply to more than one token.
        ///
        /// - Throws: ``SimulatorError`` if `after` is set, which is allowed for single tokens only.
        func forAnyToken() throws -> Answer {
            guard after == 0 else { throw SimulatorError("after: allowed for single tokens only") }
            return answer
        }
    }

    struct NextAnswers<Answer: SimulatedAnswer>: ControlBody {
        let count: Int
        let answer: Answer

        enum CodingKeys: String, CodingKey, CaseIterable {
            case count, answer
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            count = try container.number(.count, in: 1...numbers.upperBound)
            answer = try container.decode(Choice<Answer>.self, forKey: .answer).forAnyToken()
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

    /// The body of a request for standing faults: `{"answer": {…}, "answer_delay_ms": 0, "window_delay_ms": 0,
    /// "silence": "none"}`. All fields are optional.
    struct Standing<Service: PushDouble>: ControlBody {
        let faults: SimulatedService<Service>.StandingFaults

        enum CodingKeys: String, CodingKey, CaseIterable {
            case answer, answerDelay = "answer_delay_ms", windowDelay = "window_delay_ms", silence
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var faults = SimulatedService<Service>.StandingFaults()
            faults.answer = try container.decodeIfPresent(Choice<Service.Answer>.self, forKey: .answer)?.forAnyToken()
            faults.server.answerDelayMilliseconds = try container.numberIfPresent(.answerDelay, in: delays) ?? 0
            faults.server.windowDelayMilliseconds = try container.numberIfPresent(.windowDelay, in: delays) ?? 0
            faults.server.silence = try container.wordIfPresent(.silence, of: ServerFaults.Silence.self) ?? .none
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
