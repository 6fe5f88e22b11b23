public import Foundation

extension PushSimulator {
    /// Bad days written down: what goes wrong, and when. JSON, a list of steps. Each has `at_ms` (milliseconds since the
    /// start of the script) or `after_requests` (as many arrivals as ``SimulatorCounters`` counts), and one thing to do
    /// in the form in which the control endpoint takes it.
    public struct FaultScript: Sendable {
        private let timed: [FaultStep<Service>]
        private let counted: [FaultStep<Service>]

        /// - Parameter source: what errors call the text, a file's name for instance.
        /// - Throws: ``SimulatorError`` naming the step and the field at fault.
        public init(json: Data, source: String) throws {
            do {
                let steps = try ControlInput.read([FaultStep<Service>].self, from: json)
                timed = steps.filter { $0.milliseconds != nil }
                    .sorted { ($0.milliseconds ?? 0) < ($1.milliseconds ?? 0) }
                counted = steps.filter { $0.arrivals != nil }.sorted { ($0.arrivals ?? 0) < ($1.arrivals ?? 0) }
            } catch let error as SimulatorError {
                throw SimulatorError("\(source): \(error)")
            }
        }

        /// Does it all, in time; ends early when cancelled. Requests are counted every few milliseconds, so that a step
        /// may come some requests late.
        ///
        /// - Throws: ``SimulatorError`` if a port was taken while the simulator was down.
        public func run(on simulator: PushSimulator) async throws {
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [timed] in
                    for step in timed {
                        try await Task.sleep(until: start + .milliseconds(step.milliseconds ?? 0))
                        try await step.act(simulator)
                    }
                }
                group.addTask { [counted] in
                    for step in counted {
                        while await simulator.counters().arrivals < step.arrivals ?? 0 {
                            try await Task.sleep(for: .milliseconds(2))
                        }
                        try await step.act(simulator)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
