public import Foundation

/// Bad days written down: what goes wrong, and when. JSON, a list of steps, each with `at_ms` (milliseconds since
/// the start) and one thing to do, in the form in which the control endpoint takes it.
public struct FaultScript: Sendable {
    private let steps: [Step]

    /// - Parameter source: what errors call the text, a file's name for instance.
    /// - Throws: ``SimulatorError`` naming the step and the field at fault.
    public init(json: Data, source: String) throws {
        do {
            let steps = try JSONDecoder().decode([Step].self, from: json)
            self.steps = steps.sorted { $0.milliseconds < $1.milliseconds }
        } catch let error as SimulatorError {
            throw SimulatorError("\(source): \(error)")
        } catch let error as DecodingError {
            throw SimulatorError("\(source): \(Self.explain(error))")
        }
    }

    /// Does it all, in time; ends early when cancelled.
    public func run(on simulator: APNSSimulator) async throws {
        let start = ContinuousClock.now
        for step in steps {
            try await Task.sleep(until: start + .milliseconds(step.milliseconds))
            try await step.act(on: simulator)
        }
    }

    private static func explain(_ error: DecodingError) -> String {
        let (context, problem): (DecodingError.Context, String) =
            switch error {
            case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (context, context.debugDescription)
            @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "\(error)")
            }
        let place = context.codingPath.map { $0.intValue.map { "step \($0 + 1)" } ?? $0.stringValue }
        return (place + [problem]).joined(separator: ": ")
    }

    private struct Step: Decodable {
        let milliseconds: Int
        private let goAway: ControlMessage.GoAway?
        private let streams: ControlMessage.StreamLimit?
        private let refuse: ControlMessage.StreamRefusal?
        private let standing: ControlMessage.Standing?
        private let next: ControlMessage.NextAnswers?
        private let cut: Bool?
        private let downMilliseconds: Int?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case milliseconds = "at_ms", goAway = "goaway", streams, refuse, standing, next, cut
            case downMilliseconds = "down_ms"
        }

        init(from decoder: any Decoder) throws {
            let place = "step \((decoder.codingPath.last?.intValue ?? 0) + 1)"
            do {
                try decoder.refuseOtherKeys(than: CodingKeys.allCases)
            } catch let error as SimulatorError {
                throw SimulatorError("\(place): \(error)")
            }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            milliseconds = try container.decode(Int.self, forKey: .milliseconds)
            goAway = try container.decodeIfPresent(ControlMessage.GoAway.self, forKey: .goAway)
            streams = try container.decodeIfPresent(ControlMessage.StreamLimit.self, forKey: .streams)
            refuse = try container.decodeIfPresent(ControlMessage.StreamRefusal.self, forKey: .refuse)
            standing = try container.decodeIfPresent(ControlMessage.Standing.self, forKey: .standing)
            next = try container.decodeIfPresent(ControlMessage.NextAnswers.self, forKey: .next)
            cut = try container.decodeIfPresent(Bool.self, forKey: .cut)
            downMilliseconds = try container.decodeIfPresent(Int.self, forKey: .downMilliseconds)
            guard container.allKeys.count == 2 else {
                throw SimulatorError("\(place): needs at_ms and one thing to do")
            }
            guard milliseconds >= 0, downMilliseconds ?? 0 >= 0 else {
                throw SimulatorError("\(place): times can't be negative")
            }
        }

        func act(on simulator: APNSSimulator) async throws {
            if let goAway { await simulator.sendGoAway(goAway.fault) }
            if let streams { await simulator.changeStreamLimit(to: streams.limit) }
            if let refuse { simulator.refuseStreams(refuse.count) }
            if let standing { await simulator.setFaults(standing.faults) }
            if let next { simulator.answerNext(next.count, with: try next.answer.planned()) }
            if cut == true { await simulator.cutConnections() }
            if let downMilliseconds { try await simulator.goDown(for: .milliseconds(downMilliseconds)) }
        }
    }
}
