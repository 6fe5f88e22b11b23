import Foundation
import PushModel
import Foundations

/// A sink that records all outcomes.
final class RecordingSink: OutcomeSink {
    private struct State {
        var entries: [OutcomeEntry] = []
        /// The recipients with an outcome, by job number. Each recipient counts once, because a repeated outcome must
        /// not end a wait.
        var reported: [Int: Set<Int>] = [:]
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
                state.reported[entry.number, default: []].insert(entry.recipient)
            }
            if entries.isEmpty { state.emptyReports += 1 }
        }
    }

    /// The number of recipients with an outcome.
    var reported: Int { state.withLock { $0.reported.values.reduce(0) { $0 + $1.count } } }

    /// Returns the number of a job's recipients with an outcome.
    func reported(of job: Int) -> Int { state.withLock { $0.reported[job]?.count ?? 0 } }

    /// Waits until `count` recipients have an outcome, or until the time limit.
    func wait(for count: Int, atMost limit: Duration) async {
        _ = await eventually(within: limit) { reported >= count }
    }
}

extension Timestamp {
    static var wallClock: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    func later(by duration: Duration) -> Timestamp {
        Timestamp(milliseconds: milliseconds + Int64(duration / .milliseconds(1)))
    }
}
