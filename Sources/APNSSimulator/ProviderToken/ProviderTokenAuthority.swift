import Synchronization

/// Verifies each distinct token once for the whole simulator: signatures are far too slow to check for every
/// request.
final class ProviderTokenAuthority: Sendable {
    private struct State {
        var verifier: ProviderTokenVerifier
        var verdicts: [[UInt8]: ProviderToken?] = [:]
    }

    private let state: Mutex<State>
    /// A sender that makes tokens up must not fill the memory.
    private static let mostVerdicts = 10_000

    init(isStrict: Bool, keys: [TokenKey]) {
        var verifier = ProviderTokenVerifier(isStrict: isStrict)
        for key in keys {
            verifier.register(key)
        }
        state = Mutex(State(verifier: verifier))
    }

    func register(_ key: TokenKey) {
        state.withLock {
            $0.verifier.register(key)
            $0.verdicts.removeAll()
        }
    }

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
