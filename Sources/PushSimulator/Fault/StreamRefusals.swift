internal import Threading

/// How many of the next requests are refused unprocessed.
final class StreamRefusals: Sendable {
    private let count = Atomic(0)

    func set(_ count: Int) {
        self.count.store(count, ordering: .relaxed)
    }

    /// True: this request is one of them.
    func take() -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return false }
        return count.subtract(1, ordering: .relaxed).oldValue > 0
    }
}
