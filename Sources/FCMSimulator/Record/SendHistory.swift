internal import Threading

/// Remembers what was answered to each push, to tell a retry that comes too soon, and a second send of what was accepted.
final class SendHistory: Sendable {
    /// What was last answered to one push.
    private struct Answered {
        let status: Int
        /// Milliseconds since 1970.
        let at: Int64
        /// Before this, no retry.
        let retryAt: Int64
    }

    private struct State {
        // Two halves: what has not been sent again for long is forgotten, with the older one.
        var recent: [Int: Answered] = [:]
        var older: [Int: Answered] = [:]
        var violations: [SendViolation] = []
    }

    private let state = Mutex(State())
    /// Milliseconds before which nothing is retried (Firebase: "Best practices when sending FCM messages at scale").
    private let leastRetryDelay: Int64
    private static let mostRemembered = 500_000, mostViolations = 1_000

    init(leastRetryDelay: Int64) {
        self.leastRetryDelay = leastRetryDelay
    }

    /// Notes the push of a message to a target.
    ///
    /// - Returns: the rule that it breaks; nil: none.
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
        // Google: 60 s after a 429 that does not say.
        let told = answer.retryAfter.map { Int64($0) * 1_000 } ?? (status == 429 ? 6 * leastRetryDelay : 0)
        let identity = request.identity
        state.withLock { state in
            if state.recent.count >= Self.mostRemembered {
                state.older = state.recent
                state.recent = [:]
            }
            state.recent[identity] = Answered(status: status, at: now, retryAt: now + max(leastRetryDelay, told))
        }
    }

    var violations: [SendViolation] { state.withLock(\.violations) }

    func reset() {
        state.withLock { $0 = State() }
    }
}
