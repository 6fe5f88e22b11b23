import PushModel

/// Decides what a 401 or 403 of a push service is about: the key, or this subscription alone. A value: no clock, no I/O.
///
/// Services answer alike for a key that they do not know and for a subscription that was made with another key; Windows'
/// service does so for subscriptions that are stale. So a refusal without a word of explanation is the subscription's while
/// the key is proven there, which means that the service has accepted a message of that key lately.
///
/// | refusal | key proven | token an hour old | then |
/// |---|---|---|---|
/// | unexplained | yes | | the subscription is at fault |
/// | either | no, or it is explained | yes | a new token is made, and the message goes out once more |
/// | unexplained | no | no | the key is in doubt: the next message finds out |
/// | explained | | no | the key is refused |
package enum KeyTrust {
    package enum Verdict: Equatable {
        case foreignSubscription
        case signAgain
        case keyInDoubt
        case keyRefused
    }

    /// How long an accepted message proves its key.
    package static let provenMilliseconds: Int64 = 300_000
    /// Apple wants no more than one new token an hour.
    package static let leastTokenAgeSeconds: Int64 = 3_600

    /// - Parameters:
    ///   - isExplained: whether the service says that it refuses the key.
    ///   - acceptedAt: uptime in milliseconds when the service last accepted a message of the key; `nil` for never.
    ///   - isRepeated: whether the message went out with a new token before.
    package static func verdict(
        isExplained: Bool, acceptedAt: Int64?, nowMilliseconds now: Int64, tokenAgeSeconds: Int64, isRepeated: Bool
    ) -> Verdict {
        if !isExplained, let acceptedAt, now - acceptedAt <= provenMilliseconds { return .foreignSubscription }
        if !isRepeated, tokenAgeSeconds >= leastTokenAgeSeconds { return .signAgain }
        return isExplained ? .keyRefused : .keyInDoubt
    }
}
