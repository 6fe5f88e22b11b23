internal import Foundations

/// The quotas of all projects, and the counts of messages in each of their periods.
final class QuotaRegistry: Sendable {
    private struct State {
        var limit: QuotaLimit
        var periods: [String: [QuotaPeriod]] = [:]
    }

    private let state: Mutex<State>
    private let first: QuotaLimit
    private static let mostPeriods = 1_440

    init(_ limit: QuotaLimit) {
        first = limit
        state = Mutex(State(limit: limit))
    }

    func setLimit(_ limit: QuotaLimit) {
        state.withLock { $0.limit = limit }
    }

    /// Returns the answer that refuses a message if the project's quota is used up, or `nil` if quota is left. Begins a
    /// new period if the last one is over. ``settle(_:of:)`` counts a message that is not refused here.
    func refusal(of project: String, at now: Int64) -> PlannedFCMAnswer? {
        state.withLock { state in
            var periods = state.periods[project] ?? []
            defer { state.periods[project] = periods }
            let limit = state.limit
            if periods.last.map({ now - $0.beganAt >= limit.periodMilliseconds }) ?? true {
                if periods.count == Self.mostPeriods { periods.removeFirst() }
                periods.append(QuotaPeriod(beganAt: now))
            }
            let last = periods.count - 1
            guard periods[last].spent >= limit.messages else { return nil }
            periods[last].refused += 1
            let rest = periods[last].beganAt + limit.periodMilliseconds - now
            return PlannedFCMAnswer(
                .quotaExceeded, retryAfter: limit.sendsRetryAfter ? Int(max(1, (rest + 999) / 1_000)) : nil)
        }
    }

    /// Counts a message by the status of its answer. Accepted messages and 4xx answers except 429 use quota.
    func settle(_ status: Int, of project: String) {
        guard status == 200 || 400..<500 ~= status && status != 429 else { return }
        state.withLock { state in
            guard let count = state.periods[project]?.count, count > 0 else { return }
            state.periods[project]?[count - 1].spent += 1
            if status == 200 { state.periods[project]?[count - 1].accepted += 1 }
        }
    }

    /// The periods of each project. The oldest period is first.
    var periods: [String: [QuotaPeriod]] { state.withLock(\.periods) }

    func reset() {
        state.withLock { $0 = State(limit: first) }
    }
}
