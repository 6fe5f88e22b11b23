/// One step of a script.
struct FaultStep: Decodable, Sendable {
    /// Since the start of the script; nil: the step waits for requests.
    let milliseconds: Int?
    let arrivals: Int?
    private let action: Action

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
            milliseconds = try container.decodeIfPresent(Int.self, forKey: .milliseconds)
            arrivals = try container.decodeIfPresent(Int.self, forKey: .arrivals)
            guard (milliseconds == nil) != (arrivals == nil) else {
                throw SimulatorError("needs either at_ms or after_requests")
            }
            let actions = container.allKeys.filter { $0 != .milliseconds && $0 != .arrivals }
            guard actions.count == 1, let key = actions.first else { throw SimulatorError("needs one thing to do") }
            action = try Self.action(key, container)
            guard milliseconds ?? 0 >= 0, arrivals ?? 0 >= 0 else {
                throw SimulatorError("at_ms, after_requests: can't be negative")
            }
        } catch let error as SimulatorError {
            throw SimulatorError("step \((decoder.codingPath.last?.intValue ?? 0) + 1): \(error)")
        }
    }

    private static func action(_ key: CodingKeys, _ container: KeyedDecodingContainer<CodingKeys>) throws -> Action {
        do {
            return try named(key, container)
        } catch let error as SimulatorError {
            throw SimulatorError("\(key.rawValue): \(error)")
        }
    }

    private static func named(_ key: CodingKeys, _ container: KeyedDecodingContainer<CodingKeys>) throws -> Action {
        func decode<Message: Decodable>(_ type: Message.Type) throws -> Message {
            try container.decode(type, forKey: key)
        }
        switch key {
        case .goAway: return .goAway(try decode(ControlMessage.GoAway.self).fault)
        case .streams: return .streams(try decode(ControlMessage.StreamLimit.self).checked())
        case .refuse: return .refuse(try decode(ControlMessage.StreamRefusal.self).checked())
        case .standing: return .standing(try decode(ControlMessage.Standing.self).faults)
        case .next:
            let next = try decode(ControlMessage.NextAnswers.self)
            return .next(try next.checkedCount(), try next.answer.planned())
        case .key:
            let key = try decode(ControlMessage.RefusedKey.self)
            return .key(key.keyID, key.refusal)
        case .cut:
            guard try decode(Bool.self) else { throw SimulatorError("can only be true") }
            return .cut
        case .downMilliseconds:
            let milliseconds = try decode(Int.self)
            guard milliseconds >= 0 else { throw SimulatorError("can't be negative") }
            return .down(.milliseconds(milliseconds))
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
