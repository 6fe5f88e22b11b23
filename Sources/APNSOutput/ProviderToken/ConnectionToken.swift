/// The provider token on one connection. A value: no clock, no I/O.
///
/// | state | goes to |
/// |---|---|
/// | none | unused, with the first token |
/// | unused | unused, with any other token; in use, with the first request |
/// | in use | unused, with a newer token, 21 minutes after the first request |
package struct ConnectionToken {
    package private(set) var held: ProviderToken?
    /// The first request that carried it.
    private var firstUsed: Int64?

    package init() {}

    /// Whether another one may take its place now: APNs counts those it has seen on this connection.
    package func mayChange(now: Int64) -> Bool {
        guard let firstUsed else { return true }
        return now - firstUsed >= ProviderTokenSchedule.minimumUse
    }

    /// - Returns: whether requests must carry another token than before.
    package mutating func take(_ token: ProviderToken) -> Bool {
        guard held?.token != token.token else { return false }
        firstUsed = nil
        held = token
        return true
    }

    package mutating func used(now: Int64) {
        if firstUsed == nil { firstUsed = now }
    }

    package func isUsable(now: Int64) -> Bool {
        guard let held else { return false }
        let limit =
            firstUsed == nil ? ProviderTokenSchedule.greatestAgeAtFirstUse : ProviderTokenSchedule.greatestAge
        return held.age(at: now) < limit
    }
}
