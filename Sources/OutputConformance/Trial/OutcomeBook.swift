import Foundation
import PushModel
import Threading

/// A sink that writes down what it is told.
final class OutcomeBook: OutcomeSink {
    private struct State {
        var entries: [OutcomeEntry] = []
        /// By the number of the job, its recipients with an outcome, each once: what is said twice must not end a wait.
        var told: [Int: Set<Int>] = [:]
        var emptyReports = 0
    }

    private let state = Mutex(State())
    let begunAt = Timestamp.wallClock

    var entries: [OutcomeEntry] { state.withLock(\.entries) }
    var emptyReports: Int { state.withLock(\.emptyReports) }

    func report(_ outcomes: [Outcome]) {
        let now = Timestamp.wallClock
        let entries = outcomes.map { OutcomeEntry($0, cameAt: now) }
        state.withLock { state in
            state.entries += entries
            for (entry, outcome) in zip(entries, outcomes)
            where outcome.job.job.recipients.indices.contains(entry.recipient) {
                state.told[entry.number, default: []].insert(entry.recipient)
            }
            if entries.isEmpty { state.emptyReports += 1 }
        }
    }

    /// How many recipients have an outcome.
    var told: Int { state.withLock { $0.told.values.reduce(0) { $0 + $1.count } } }

    /// How many of a job's.
    func told(of job: Int) -> Int { state.withLock { $0.told[job]?.count ?? 0 } }

    /// Returns when so many recipients have one, or when time is up.
    func wait(for count: Int, atMost limit: Duration) async {
        _ = await eventually(within: limit) { told >= count }
    }
}

extension Timestamp {
    static var wallClock: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    func later(by duration: Duration) -> Timestamp {
        Timestamp(milliseconds: milliseconds + Int64(duration / .milliseconds(1)))
    }
}
