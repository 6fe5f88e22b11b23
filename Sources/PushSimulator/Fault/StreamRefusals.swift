internal import Foundations

/// A counter of the next requests, which the server refuses unprocessed.
final class StreamRefusals: Sendable {
    private let count = Atomic(0)

    func set(_ count: Int) {
        self.count.store(count, ordering: .relaxed)
    }

    /// Returns whether the next request must be refused, and counts it.
    func take() -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return false }
        return count.subtract(1, ordering: .relaxed).oldValue > 0
    }
}
