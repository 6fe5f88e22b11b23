import PushModel

/// When provider tokens are made and when a connection may go over to the next one.
///
/// APNs wants a token of at most 60 minutes, no more than one new token in 20 minutes per key, and counts
/// changes per connection (Apple: "Establishing a token-based connection to APNs"). So time is cut into
/// periods of 25 minutes, the same for every process: one token belongs to one period, and a connection
/// keeps the token it first used until the first boundary at least 20 minutes later.
///
/// | first use, minutes into the period | goes over after | age of the token by then |
/// |---|---|---|
/// | 0 to 5 | 25 to 20 min | at most 25 min |
/// | 5 to 25 | 45 to 25 min | at most 50 min |
enum ProviderTokenSchedule {
    static let periodSeconds: Int64 = 25 * 60
    static let minimumUseSeconds: Int64 = 20 * 60

    /// The number of the period that `now` is in.
    static func period(at now: Timestamp) -> Int64 { now.seconds / periodSeconds }

    /// When a connection that first uses a token at `firstUse` takes the next one.
    static func endOfUse(firstUse: Timestamp) -> Timestamp {
        let earliest = firstUse.seconds + minimumUseSeconds
        return Timestamp(seconds: (earliest + periodSeconds - 1) / periodSeconds * periodSeconds)
    }
}
