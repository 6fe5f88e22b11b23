public import Foundation

extension SimulatedService {
    /// A script of faults and the times at which they occur, as a JSON list of steps. Each step has exactly one command
    /// in the form that the control endpoint accepts. It also has exactly one time: `at_ms` (milliseconds since the
    /// start of the script) or `after_requests` (the value of ``SimulatorCounters/arrivals``).
    public struct FaultScript: Sendable {
        private let timed: [FaultStep<Service>]
        private let counted: [FaultStep<Service>]

        /// Parses a script.
        ///
        /// - Parameter source: the name of the script in error messages, such as a file name.
        /// - Throws: ``SimulatorError`` that names the step and the invalid field.
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

        /// Runs all steps at their times. Steps with `at_ms` run one after the other, and so do steps with
        /// `after_requests`, so a step may have to wait for the end of an outage. The number of arrivals is read every
        /// few milliseconds, so a step may run a few requests late.
        ///
        /// - Throws: ``SimulatorError`` if another process took a port while the simulator was down;
        ///   `CancellationError` if the task was cancelled.
        public func run(on simulator: SimulatedService) async throws {
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
