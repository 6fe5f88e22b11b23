internal import Threading

/// A record of salts and senders' keys, each of which may be used only once.
final class FreshnessBook: Sendable {
    private struct State {
        // Entries are kept in two generations. When the recent one is full, it replaces the older one, whose entries
        // are dropped.
        var recent: Set<Int> = []
        var older: Set<Int> = []
    }

    private let state = Mutex(State())
    private static let mostRemembered = 1_000_000

    /// Records the bytes.
    ///
    /// - Returns: Whether the bytes were not seen before.
    func isFresh(_ bytes: [UInt8]) -> Bool {
        // A randomly seeded 64-bit hash, which a sender can't predict.
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
