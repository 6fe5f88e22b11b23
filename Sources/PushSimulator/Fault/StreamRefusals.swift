internal import Threading

/// The number of upcoming requests to refuse unprocessed.
final class StreamRefusals: Sendable {
    private let count = Atomic(0)

    func set(_ count: Int) {
        self.count.store(count, ordering: .relaxed)
    }

    /// Counts one request and returns whether it must be refused.
    func take() -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return false }
        return count.subtract(1, ordering: .relaxed).oldValue > 0
    }
}
