package import PushModel

/// When provider tokens are made and when a connection may go over to the next one.
///
/// APNs wants a token of at most 60 minutes, no more than one new token in 20 minutes per key, and counts
/// changes per connection (Apple: "Establishing a token-based connection to APNs"). So a token is handed out
/// until it is 25 minutes old, and a connection keeps the one it took for 21 minutes: one more than is asked,
/// because what counts is when requests arrive.
///
/// | age when taken | what the connection does after 21 minutes | age by then |
/// |---|---|---|
/// | under 4 min | takes the same again, once | under 25 min, in the end under 46 min |
/// | 4 to 25 min | goes over to a new one | 25 to 46 min |
package enum ProviderTokenSchedule {
    package static let renewalSeconds: Int64 = 25 * 60
    package static let minimumUseSeconds: Int64 = 21 * 60

    /// Whether the last token made is still the one to hand out. A clock that was set back a little brings no
    /// new one; one set back far means that the token's time was wrong, and APNs refuses it.
    package static func isCurrent(issuedAt: Timestamp, now: Timestamp) -> Bool {
        abs(now.seconds - issuedAt.seconds) < renewalSeconds
    }

    /// When a connection that takes a token at `taken` asks for the next one.
    package static func endOfUse(taken: Timestamp) -> Timestamp {
        Timestamp(milliseconds: taken.milliseconds + minimumUseSeconds * 1000)
    }
}
