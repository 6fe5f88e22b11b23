/// The rate limit of an app, which all workers share.
public struct AppRateLimit: Sendable, Hashable {
    /// The limit, in pushes per second.
    public var rate: Int
    /// Whether pushes of the urgent lane count toward the limit and wait for it.
    public var includesUrgent: Bool

    public init(rate: Int, includesUrgent: Bool = false) {
        (self.rate, self.includesUrgent) = (rate, includesUrgent)
    }
}
