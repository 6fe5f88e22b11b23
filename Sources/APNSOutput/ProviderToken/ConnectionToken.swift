/// The provider token of one connection. A value type without clock or I/O.
///
/// | state | goes to |
/// |---|---|
/// | none | unused, when the first token is taken |
/// | unused | unused, when another token is taken; in use, with the first request |
/// | in use | unused, when a newer token is taken, at least 21 minutes after the first request |
package struct ConnectionToken {
    package private(set) var held: ProviderToken?
    /// The time of the first request with the token in milliseconds, or `nil` if no request has used the token.
    private var firstUsed: Int64?

    package init() {}

    /// Returns whether another token may replace the current one now. APNs limits how often the token may change on a
    /// connection.
    package func mayChange(now: Int64) -> Bool {
        guard let firstUsed else { return true }
        return now - firstUsed >= ProviderTokenSchedule.minimumUse
    }

    /// Takes over a token.
    ///
    /// - Returns: whether requests must carry a different token than before.
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
