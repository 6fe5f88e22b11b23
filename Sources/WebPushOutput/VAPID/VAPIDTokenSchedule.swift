package import PushModel

/// The lifetime of a token for one key and one origin. Services accept tokens that expire within a day (RFC 8292,
/// section 2), and Apple allows at most one new token an hour.
///
/// | age | state |
/// |---|---|
/// | up to 10 h, plus a random part of an hour | in use |
/// | up to 12 h | due for renewal; the remaining hour or more allows for clock differences |
/// | 12 h | expired |
package struct VAPIDTokenSchedule: Sendable, Hashable {
    package static let lifetimeSeconds: Int64 = 12 * 3_600
    private static let leastUseSeconds: Int64 = 10 * 3_600
    private static let spreadSeconds = 3_600.0

    package let expires: Timestamp
    private let issued: Timestamp
    private let renewed: Timestamp

    /// Creates the schedule of a token that is issued now.
    ///
    /// - Parameter random: a random number from 0 up to 1. It distributes the renewals of a fleet over time.
    package init(now: Timestamp, random: Double) {
        issued = now
        expires = Timestamp(seconds: now.seconds + Self.lifetimeSeconds)
        renewed = Timestamp(seconds: now.seconds + Self.leastUseSeconds + Int64(Self.spreadSeconds * random))
    }

    /// Returns whether the token must be renewed. It must also be renewed if the clock was set back by more than an
    /// hour, because the token might then expire too late for the service.
    package func isDue(now: Timestamp) -> Bool { now >= renewed || now.seconds < issued.seconds - 3_600 }

    package func ageSeconds(now: Timestamp) -> Int64 { now.seconds - issued.seconds }
}
