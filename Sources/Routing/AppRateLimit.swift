/// The rate limit of an app, which all workers share.
package struct AppRateLimit: Sendable, Hashable {
    /// The limit, in pushes per second.
    package var rate: Int
    /// Whether pushes of the urgent lane count toward the limit and wait for it.
    package var includesUrgent: Bool

    package init(rate: Int, includesUrgent: Bool = false) {
        (self.rate, self.includesUrgent) = (rate, includesUrgent)
    }
}
