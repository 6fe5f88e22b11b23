import FleetSimulation
import Foundations

/// A series of histories with successive seeds. Several threads share the series, but each history runs in one thread.
final class Series: Sendable {
    private struct State {
        var next: UInt64
        var finished = 0
        var bad = 0
        var virtualMilliseconds: Int64 = 0
    }

    private let first: UInt64
    private let most: UInt64
    private let verbose: Bool
    private let timeline: Bool
    private let start = ContinuousClock.now
    private let end: ContinuousClock.Instant?
    private let state: Mutex<State>

    init(first: UInt64, most: UInt64, seconds: Int?, verbose: Bool, timeline: Bool) {
        self.first = first
        self.most = most
        self.verbose = verbose
        self.timeline = timeline
        end = seconds.map { [start] in start + .seconds($0) }
        state = Mutex(State(next: first))
    }

    var bad: Int { state.withLock(\.bad) }

    var summary: String {
        let state = state.withLock { $0 }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return "\(state.finished) histories from seed \(first), \(state.bad) bad, "
            + "\(state.virtualMilliseconds / 3_600_000) virtual hours in \(Int(seconds)) s, "
            + "\(Int(Double(state.finished) / seconds * 60)) histories a minute"
    }

    /// Runs histories until the maximum number has started or the time is over. Each thread calls this once.
    func run() {
        while let seed = takeSeed() {
            let history = History(seed: seed)
            let result = history.run(reader: timeline ? { print($0) } : nil)
            let violations = result.verdict.violations
            var lines: [String] = []
            if verbose || !violations.isEmpty {
                lines.append(
                    "seed \(seed): \(violations.isEmpty ? "good" : "BAD"), \(result.jobs) jobs, "
                        + "\(result.recipients) recipients, \(result.messages) messages, \(result.events) events, "
                        + "\(result.milliseconds / 1_000) s")
                lines += violations.map { "    \($0)" }
            }
            if !violations.isEmpty { lines += history.scenario.faults.map { "    fault \($0)" } }
            state.withLock { state in
                state.finished += 1
                state.bad += violations.isEmpty ? 0 : 1
                state.virtualMilliseconds += result.milliseconds
                for line in lines { print(line) }
            }
        }
    }

    private func takeSeed() -> UInt64? {
        if let end, ContinuousClock.now >= end { return nil }
        return state.withLock { state in
            guard state.next - first < most else { return nil }
            state.next += 1
            return state.next - 1
        }
    }
}
