internal import Foundations

/// A record of the last answer to each recent push. It detects retries that come too early, and pushes that are sent
/// again after they were accepted.
final class SendHistory: Sendable {
    /// The last answer to a push.
    private struct Answered {
        let status: Int
        /// The time of the answer, in milliseconds since 1970.
        let at: Int64
        /// The earliest permitted time of a retry, in milliseconds since 1970.
        let retryAt: Int64
    }

    private struct State {
        // The answers are kept in two generations. When the recent generation is full, it becomes the older one, and
        // the previous older one is dropped.
        var recent: [Int: Answered] = [:]
        var older: [Int: Answered] = [:]
        var violations: [SendViolation] = []
    }

    private let state = Mutex(State())
    /// The minimum delay before a retry, in milliseconds (Firebase: "Best practices when sending FCM messages at
    /// scale").
    private let leastRetryDelay: Int64
    private static let mostRemembered = 500_000, mostViolations = 1_000

    init(leastRetryDelay: Int64) {
        self.leastRetryDelay = leastRetryDelay
    }

    /// Checks a push that has arrived against the last answer to the same message.
    ///
    /// - Returns: the rule that the push violates, or `nil` if it violates none.
    func arrived(_ request: SendRequest, at now: Int64) -> SendViolation.Kind? {
        let identity = request.identity
        return state.withLock { state in
            guard let before = state.recent[identity] ?? state.older[identity] else { return nil }
            let kind: SendViolation.Kind
            if before.status == 200 {
                kind = .duplicate
            } else if now < before.retryAt {
                kind = .retryTooSoon
            } else {
                return nil
            }
            if state.violations.count < Self.mostViolations {
                state.violations.append(
                    SendViolation(
                        kind: kind, target: request.target.text, statusBefore: before.status,
                        elapsedMilliseconds: now - before.at))
            }
            return kind
        }
    }

    func answered(_ request: SendRequest, _ answer: PlannedFCMAnswer, at now: Int64) {
        let status = answer.status
        guard status == 200 || status == 429 || status >= 500 else { return }
        // After a 429 without `retry-after`, Google requires a delay of 60 seconds: six times the default of
        // `leastRetryDelay`.
        let reported = answer.retryAfter.map { Int64($0) * 1_000 } ?? (status == 429 ? 6 * leastRetryDelay : 0)
        let identity = request.identity
        state.withLock { state in
            if state.recent.count >= Self.mostRemembered {
                state.older = state.recent
                state.recent = [:]
            }
            state.recent[identity] = Answered(status: status, at: now, retryAt: now + max(leastRetryDelay, reported))
        }
    }

    var violations: [SendViolation] { state.withLock(\.violations) }

    func reset() {
        state.withLock { $0 = State() }
    }
}
