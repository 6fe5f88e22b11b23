/// The age of a filter of dead tokens, which determines when to load the filter again. A token can't be removed from a
/// filter, so tokens that registered again stay in it until then. A value type without a clock or I/O.
package struct FilterAge: Sendable {
    private static let longest = Duration.seconds(86_400)
    /// The minimum ages for a reload because of false positives or growth. They limit the load on the database.
    private static let shortestForFalsePositives = Duration.seconds(3_600)
    private static let shortestForGrowth = Duration.seconds(300)
    private static let falsePositivesAlwaysAllowed = 10_000

    private let loadedAt: ContinuousClock.Instant
    private let loadedCount: Int
    private let capacity: Int
    private let mayGrow: Bool
    private var count: Int

    /// Creates the age of a filter that was just loaded.
    /// - Parameter mayGrow: whether a larger filter would stay within the memory limit.
    package init(loadedAt: ContinuousClock.Instant, count: Int, capacity: Int, mayGrow: Bool) {
        self.loadedAt = loadedAt
        loadedCount = count
        self.capacity = capacity
        self.mayGrow = mayGrow
        self.count = count
    }

    package func adding(_ count: Int) -> Self {
        var changed = self
        changed.count += count
        return changed
    }

    /// Returns whether the filter must be loaded again.
    /// - Parameter falsePositives: the number of tokens since the load that the filter did not clear although they are
    ///   not marked in the database.
    package func isOver(at now: ContinuousClock.Instant, falsePositives: Int) -> Bool {
        let age = now - loadedAt
        if age >= Self.longest { return true }
        if count > capacity, mayGrow, age >= Self.shortestForGrowth { return true }
        return age >= Self.shortestForFalsePositives
            && falsePositives > max(Self.falsePositivesAlwaysAllowed, loadedCount / 4)
    }
}
