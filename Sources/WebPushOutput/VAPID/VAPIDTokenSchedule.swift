package import PushModel

/// When the token of a key and an origin is made anew. Services take tokens that expire within a day (RFC 8292, section 2),
/// and Apple wants no more than one new token an hour.
///
/// | age | what |
/// |---|---|
/// | up to 10 h, and an hour more at random | it is used |
/// | then | the next one is made, in time for a clock that is an hour off |
/// | 12 h | it expires |
package struct VAPIDTokenSchedule: Sendable, Hashable {
    package static let lifetimeSeconds: Int64 = 12 * 3_600
    private static let leastUseSeconds: Int64 = 10 * 3_600
    private static let spreadSeconds = 3_600.0

    package let expires: Timestamp
    private let issued: Timestamp
    private let renewed: Timestamp

    /// - Parameter random: a number from 0 up to 1: a fleet does not sign anew all at once.
    package init(now: Timestamp, random: Double) {
        issued = now
        expires = Timestamp(seconds: now.seconds + Self.lifetimeSeconds)
        renewed = Timestamp(seconds: now.seconds + Self.leastUseSeconds + Int64(Self.spreadSeconds * random))
    }

    /// A clock that was set back far would let it expire too late.
    package func isDue(now: Timestamp) -> Bool { now >= renewed || now.seconds < issued.seconds - 3_600 }

    package func ageSeconds(now: Timestamp) -> Int64 { now.seconds - issued.seconds }
}
