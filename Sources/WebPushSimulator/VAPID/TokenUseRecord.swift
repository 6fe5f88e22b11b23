internal import PushSimulator
internal import Foundations

/// A record of how many tokens of each VAPID key have arrived, and at which intervals. A sender should use a token for
/// a long time. It needs at most one token per hour for each service.
final class TokenUseRecord: Sendable {
    private struct State {
        var uses: [String: VAPIDUse] = [:]
        var known: Set<Int> = []
    }

    private let state = Mutex(State())
    private static let mostKnown = 100_000

    /// Counts a token of a key, unless it was counted before.
    func note(_ token: VAPIDToken, _ persona: Persona, at now: Int64) {
        let digest = token.text.hashValue, name = "\(persona.rawValue) \(UnpaddedBase64.encode(token.key))"
        state.withLock { state in
            if state.known.count >= Self.mostKnown { state.known = [] }
            guard state.known.insert(digest).inserted else { return }
            state.uses[name, default: VAPIDUse()].note(at: now)
        }
    }

    /// The use of tokens, by persona and key.
    var uses: [String: VAPIDUse] { state.withLock(\.uses) }

    func reset() {
        state.withLock { $0 = State() }
    }
}
