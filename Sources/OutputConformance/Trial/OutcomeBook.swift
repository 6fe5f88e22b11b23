import Foundation
import PushModel
import Threading

/// A sink that writes down what it is told.
final class OutcomeBook: OutcomeSink {
    private struct Told: Hashable {
        let job: Int
        let recipient: Int
    }

    private struct State {
        var entries: [OutcomeEntry] = []
        /// Recipients with an outcome, each once: what is said twice must not end a wait.
        var told: Set<Told> = []
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
                state.told.insert(Told(job: entry.number, recipient: entry.recipient))
            }
            if entries.isEmpty { state.emptyReports += 1 }
        }
    }

    /// How many recipients have an outcome.
    var told: Int { state.withLock(\.told.count) }

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
