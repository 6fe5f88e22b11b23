/// When a filter of dead tokens has to be loaded anew, since nothing can be taken out of it: tokens that registered
/// again stay in it. A value: no clock, no I/O.
package struct FilterAge: Sendable {
    private static let longest = Duration.seconds(86_400)
    /// Loading costs the database something, so it is not done more often, whatever the reason.
    private static let shortestForFalsePositives = Duration.seconds(3_600)
    private static let shortestForGrowth = Duration.seconds(300)
    private static let falsePositivesAlwaysAllowed = 10_000

    private let loadedAt: ContinuousClock.Instant
    private let loadedCount: Int
    private let capacity: Int
    private let mayGrow: Bool
    private var count: Int

    /// - Parameter mayGrow: a larger filter would not break the bound on memory.
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

    /// - Parameter falsePositives: tokens that it did not clear, and the database did, since the filter was loaded.
    package func isOver(at now: ContinuousClock.Instant, falsePositives: Int) -> Bool {
        let age = now - loadedAt
        if age >= Self.longest { return true }
        if count > capacity, mayGrow, age >= Self.shortestForGrowth { return true }
        return age >= Self.shortestForFalsePositives
            && falsePositives > max(Self.falsePositivesAlwaysAllowed, loadedCount / 4)
    }
}
