/// The times at which provider tokens are made and connections change to a newer one, in milliseconds.
///
/// APNs accepts a token for at most 60 minutes and at most one new token per key in 20 minutes, and it counts changes
/// per connection (Apple: "Establishing a token-based connection to APNs"). Therefore a connection normally starts with
/// a token that is at most 25 minutes old, and keeps it for at least 21 minutes. The extra minute is a margin, because
/// APNs measures the times at which requests arrive.
///
/// | age at first use | the connection changes to a newer token | age at that time |
/// |---|---|---|
/// | under 4 min | as soon as one exists | 25 min |
/// | 4 to 25 min | after 21 minutes | 25 to 46 min |
/// | up to 33 min, only if no newer token is available | after 21 minutes | up to 54 min |
///
/// At 54 minutes a connection stops sending until a newer token is available.
package enum ProviderTokenSchedule {
    private static let minute: Int64 = 60_000

    /// The age of a token at which the next token is made.
    package static let renewalAge = 25 * minute
    /// The minimum age at which a token that APNs calls expired is replaced by a new one.
    package static let earliestRenewalAge = 20 * minute
    /// The minimum time for which a connection keeps a token, counted from its first use.
    package static let minimumUse = 21 * minute
    /// The maximum age of a token when a connection first uses it. The connection can then keep it for ``minimumUse``.
    package static let greatestAgeAtFirstUse = greatestAge - minimumUse
    package static let greatestAge = 54 * minute
}
