/// The age of a filter of dead tokens. It determines when the filter must be loaded again. A token can't be removed
/// from a filter, so a token that registers again stays in the filter until the next reload. A value type without clock
/// or I/O.
package struct FilterAge: Sendable {
    private static let longest = Duration.seconds(86_400)
    /// The minimum age for a reload because of false positives. This limit and ``shortestForGrowth`` reduce the load on
    /// the database.
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
    ///
    /// - Parameter falsePositives: the number of tokens that seemed to be in the filter since it was loaded, although
    ///   they are not marked in the database.
    package func isOver(at now: ContinuousClock.Instant, falsePositives: Int) -> Bool {
        let age = now - loadedAt
        if age >= Self.longest { return true }
        if count > capacity, mayGrow, age >= Self.shortestForGrowth { return true }
        return age >= Self.shortestForFalsePositives
            && falsePositives > max(Self.falsePositivesAlwaysAllowed, loadedCount / 4)
    }
}
