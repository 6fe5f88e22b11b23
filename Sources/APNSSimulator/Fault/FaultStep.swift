/// One step of a script.
struct FaultStep: Decodable, Sendable {
    /// Since the start of the script; nil: the step waits for requests.
    let milliseconds: Int?
    let arrivals: Int?
    private let action: Action

    /// Milliseconds: up to a year.
    private static let times = 0...(365 * 24 * 3_600_000)

    private enum Action {
        case goAway(GoAwayFault)
        case streams(Int)
        case refuse(Int)
        case standing(StandingFaults)
        case next(Int, PlannedAnswer)
        case key(String, KeyRefusal?)
        case cut
        case down(Duration)
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case milliseconds = "at_ms", arrivals = "after_requests"
        case goAway = "goaway", streams, refuse, standing, next, key, cut, downMilliseconds = "down_ms"
    }

    init(from decoder: any Decoder) throws {
        do {
            try decoder.refuseOtherKeys(than: CodingKeys.allCases)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            milliseconds = try container.numberIfPresent(.milliseconds, in: Self.times)
            arrivals = try container.numberIfPresent(.arrivals, in: ControlMessage.numbers)
            guard (milliseconds == nil) != (arrivals == nil) else {
                throw SimulatorError("needs either at_ms or after_requests")
            }
            let actions = container.allKeys.filter { $0 != .milliseconds && $0 != .arrivals }
            guard actions.count == 1, let key = actions.first else { throw SimulatorError("needs one thing to do") }
            action = try Self.action(key, container)
        } catch let error as SimulatorError {
            throw SimulatorError("step \((decoder.codingPath.last?.intValue ?? 0) + 1): \(error)")
        }
    }

    private static func action(_ key: CodingKeys, _ container: KeyedDecodingContainer<CodingKeys>) throws -> Action {
        do {
            return try named(key, container)
        } catch let error as SimulatorError {
            // Of the one action that is a number itself the field is named already.
            throw key == .downMilliseconds ? error : SimulatorError("\(key.rawValue): \(error)")
        }
    }

    private static func named(_ key: CodingKeys, _ container: KeyedDecodingContainer<CodingKeys>) throws -> Action {
        func body<Body: ControlBody>(_ type: Body.Type) throws -> Body {
            try container.decode(Strict<Body>.self, forKey: key).body
        }
        switch key {
        case .goAway: return .goAway(try body(ControlMessage.GoAway.self).fault)
        case .streams: return .streams(try body(ControlMessage.StreamLimit.self).limit)
        case .refuse: return .refuse(try body(ControlMessage.StreamRefusal.self).count)
        case .standing: return .standing(try body(ControlMessage.Standing.self).faults)
        case .next:
            let next = try body(ControlMessage.NextAnswers.self)
            return .next(next.count, next.answer)
        case .key:
            let key = try body(ControlMessage.RefusedKey.self)
            return .key(key.keyID, key.refusal)
        case .cut:
            guard try container.decode(Bool.self, forKey: key) else { throw SimulatorError("can only be true") }
            return .cut
        case .downMilliseconds:
            return .down(.milliseconds(try container.number(key, in: times)))
        case .milliseconds, .arrivals: throw SimulatorError("needs one thing to do")
        }
    }

    func act(on simulator: APNSSimulator) async throws {
        switch action {
        case .goAway(let fault): await simulator.sendGoAway(fault)
        case .streams(let limit): await simulator.changeStreamLimit(to: limit)
        case .refuse(let count): simulator.refuseStreams(count)
        case .standing(let faults): await simulator.setFaults(faults)
        case .next(let count, let answer): simulator.answerNext(count, with: answer)
        case .key(let keyID, let refusal): simulator.refuse(keyID: keyID, refusal)
        case .cut: await simulator.cutConnections()
        case .down(let time): try await simulator.goDown(for: time)
        }
    }
}
