/// How fast an app may be pushed to, by all workers together.
public struct AppPace: Sendable, Hashable {
    /// Pushes a second.
    public var rate: Int
    /// The urgent lane waits for it, too, and counts.
    public var includesUrgent: Bool

    public init(rate: Int, includesUrgent: Bool = false) {
        (self.rate, self.includesUrgent) = (rate, includesUrgent)
    }
}
