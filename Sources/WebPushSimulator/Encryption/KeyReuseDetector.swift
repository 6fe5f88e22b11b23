internal import Foundations

/// A record of the salts and sender keys of recent messages. A sender may use each of them only once.
final class KeyReuseDetector: Sendable {
    private struct State {
        // The hashes are kept in two generations. When the recent generation is full, it becomes the older one, and the
        // previous older one is dropped.
        var recent: Set<Int> = []
        var older: Set<Int> = []
    }

    private let state = Mutex(State())
    private static let mostRemembered = 1_000_000

    /// Records a salt or a key.
    ///
    /// - Returns: whether the bytes were not recorded before.
    func isFresh(_ bytes: [UInt8]) -> Bool {
        // The 64-bit hash has a random seed, so a sender cannot predict it.
        let digest = bytes.hashValue
        return state.withLock { state in
            if state.recent.count >= Self.mostRemembered { (state.older, state.recent) = (state.recent, []) }
            if state.older.contains(digest) { return false }
            return state.recent.insert(digest).inserted
        }
    }

    func reset() {
        state.withLock { $0 = State() }
    }
}
