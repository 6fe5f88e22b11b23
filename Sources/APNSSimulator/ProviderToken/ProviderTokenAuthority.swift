import Foundations

/// A verifier that caches its results, so that a token is normally verified only once in the whole simulator. Verifying
/// a signature for every request would be much too slow.
final class ProviderTokenAuthority: Sendable {
    private struct State {
        var verifier: ProviderTokenVerifier
        var verdicts: [[UInt8]: ProviderToken?] = [:]
        var uses: [String: TokenUse] = [:]
        var refusals: [String: KeyRefusal] = [:]
    }

    private let state: Mutex<State>
    /// The maximum number of cached results. The limit keeps a sender that invents tokens from filling the memory.
    private static let mostVerdicts = 10_000
    /// The maximum size of a cached `authorization` value, in bytes. Provider tokens for APNs have around 200 bytes.
    private static let longestRemembered = 1_024

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

    /// Records the use of a token. Called whenever a connection begins to use the token or returns to it, for each
    /// refusal, and once for each further second in which the connection uses the token.
    func noteUse(of token: ProviderToken, refusal: RejectionReason?, at now: Int64) {
        state.withLock { $0.uses[token.keyID, default: TokenUse()].note(token, refusal: refusal, at: now) }
    }

    var uses: [String: TokenUse] { state.withLock(\.uses) }

    func forgetUses() {
        state.withLock { $0.uses = [:] }
    }

    // MARK: Restricted keys

    func refuse(_ keyID: String, _ refusal: KeyRefusal?) {
        state.withLock {
            $0.refusals[keyID] = refusal
            keysAreRefused.store(!$0.refusals.isEmpty, ordering: .relaxed)
        }
    }

    func forgetRefusals() {
        state.withLock { $0.refusals = [:] }
        keysAreRefused.store(false, ordering: .relaxed)
    }

    /// Returns the reason why a key is refused for a topic, or `nil` if it is not refused.
    ///
    /// - Parameter topic: the topic, or `nil` to consider only refusals for all topics.
    func refusal(of keyID: String, topic: String?) -> RejectionReason? {
        guard keysAreRefused.load(ordering: .relaxed), let refusal = state.withLock({ $0.refusals[keyID] }) else {
            return nil
        }
        if refusal.topics.isEmpty { return refusal.reason }
        return topic.flatMap { TokenKey.Scope(topics: refusal.topics).covers(topic: $0) ? refusal.reason : nil }
    }

    /// Whether any key is refused or limited to topics, so that the topics of requests must be checked.
    var limitsTopics: Bool {
        topicsAreLimited.load(ordering: .relaxed) || keysAreRefused.load(ordering: .relaxed)
    }
    private let topicsAreLimited = Atomic(false)
    private let keysAreRefused = Atomic(false)

    func verify(_ authorization: UnsafeRawBufferPointer) -> ProviderToken? {
        let bytes = Array(authorization)
        return state.withLock { state in
            guard bytes.count <= Self.longestRemembered else {
                return bytes.withUnsafeBytes { state.verifier.verify($0) }
            }
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
