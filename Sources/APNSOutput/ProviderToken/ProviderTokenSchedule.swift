/// When provider tokens are made and when a connection may go over to the next one. All in milliseconds.
///
/// APNs wants a token of at most 60 minutes, no more than one new token in 20 minutes per key, and counts
/// changes per connection (Apple: "Establishing a token-based connection to APNs"). So a token is handed out
/// until it is 25 minutes old, and a connection keeps the one it took for 21 minutes: one more than is asked,
/// because what counts is when requests arrive.
///
/// | age when first used | the connection goes over to a newer one | age by then |
/// |---|---|---|
/// | under 4 min | as soon as there is one | 25 min |
/// | 4 to 25 min | after 21 minutes | 25 to 46 min |
/// | up to 33 min, only while no newer one can be had | after 21 minutes | up to 54 min |
///
/// At 54 minutes a connection stops sending until a newer one can be had.
package enum ProviderTokenSchedule {
    private static let minute: Int64 = 60_000

    /// The age at which the next one is made.
    package static let renewalAge = 25 * minute
    /// The least age at which one is made in place of a token that APNs calls expired.
    package static let earliestRenewalAge = 20 * minute
    /// How long a connection keeps a token, from its first use.
    package static let minimumUse = 21 * minute
    /// The greatest age at its first use on a connection: its use must end in time.
    package static let greatestAgeAtFirstUse = greatestAge - minimumUse
    package static let greatestAge = 54 * minute
}
