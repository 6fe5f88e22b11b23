import Synchronization

/// Verifies each distinct token once for the whole simulator: signatures are far too slow to check for every
/// request.
final class ProviderTokenAuthority: Sendable {
    private struct State {
        var verifier: ProviderTokenVerifier
        var verdicts: [[UInt8]: ProviderToken?] = [:]
        var uses: [String: TokenUse] = [:]
    }

    private let state: Mutex<State>
    /// A sender that makes tokens up must not fill the memory.
    private static let mostVerdicts = 10_000

    init(isStrict: Bool, keys: [TokenKey]) {
        var verifier = ProviderTokenVerifier(isStrict: isStrict)
        for key in keys {
            verifier.register(key)
            if !key.scope.topics.isEmpty { topicsAreLimited.store(true, ordering: .relaxed) }
        }
        state = Mutex(State(verifier: verifier))
    }

    func register(_ key: TokenKey) {
        if !key.scope.topics.isEmpty { topicsAreLimited.store(true, ordering: .relaxed) }
        state.withLock {
            $0.verifier.register(key)
            $0.verdicts.removeAll()
        }
    }

    /// Called for the first use of a token on a connection, and for each that is refused.
    func noteUse(of token: ProviderToken, refusal: RejectionReason?, at now: Int64) {
        state.withLock { $0.uses[token.keyID, default: TokenUse()].note(token, refusal: refusal, at: now) }
    }

    var uses: [String: TokenUse] { state.withLock(\.uses) }

    func forgetUses() {
        state.withLock { $0.uses = [:] }
    }

    /// Whether any key is limited to topics, so that these have to be looked at.
    var limitsTopics: Bool { topicsAreLimited.load(ordering: .relaxed) }
    private let topicsAreLimited = Atomic(false)

    func verify(_ authorization: UnsafeRawBufferPointer) -> ProviderToken? {
        let bytes = Array(authorization)
        return state.withLock { state in
            if let verdict = state.verdicts[bytes] {
                return verdict
            }
            if state.verdicts.count >= Self.mostVerdicts {
                state.verdicts.removeAll()
            }
            let verdict = bytes.withUnsafeBytes { state.verifier.verify($0) }
            state.verdicts.updateValue(verdict, forKey: bytes)
            return verdict
        }
    }
}
