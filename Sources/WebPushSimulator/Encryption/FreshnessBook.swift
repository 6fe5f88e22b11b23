internal import Threading

/// Remembers salts and senders' keys, none of which may come twice.
final class FreshnessBook: Sendable {
    private struct State {
        // Two halves: what has not come again for long is forgotten, with the older one.
        var recent: Set<Int> = []
        var older: Set<Int> = []
    }

    private let state = Mutex(State())
    private static let mostRemembered = 1_000_000

    /// - Returns: false if it has come before.
    func isFresh(_ bytes: [UInt8]) -> Bool {
        // 64 bits of a hash that nobody can foresee.
        let digest = bytes.hashValue
        return state.withLock { state in
            if state.older.contains(digest) { return false }
            if state.recent.count >= Self.mostRemembered { (state.older, state.recent) = (state.recent, []) }
            return state.recent.insert(digest).inserted
        }
    }

    func reset() {
        state.withLock { $0 = State() }
    }
}
