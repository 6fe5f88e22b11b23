internal import Foundations

/// The number of upcoming requests that the server still refuses unprocessed.
final class StreamRefusals: Sendable {
    private let count = Atomic(0)

    func set(_ count: Int) {
        self.count.store(count, ordering: .relaxed)
    }

    /// Returns whether the next request must be refused. If so, the number decreases by one.
    func take() -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return false }
        return count.subtract(1, ordering: .relaxed).oldValue > 0
    }
}
