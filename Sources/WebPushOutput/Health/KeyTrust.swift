import PushModel

/// The rules that decide whether a push service's 401 or 403 concerns the key or only this subscription. A value: no
/// clock, no I/O.
///
/// Services answer alike for an unknown key and for a subscription that was made with another key. Windows' service
/// also does so for stale subscriptions. An unexplained refusal therefore concerns the subscription while the key is
/// proven, which means that the service has recently accepted a message of that key.
///
/// | refusal | key proven | token an hour old | result |
/// |---|---|---|---|
/// | unexplained | yes | | the subscription is at fault |
/// | either | no, or it is explained | yes | the message is sent once more with a new token |
/// | unexplained | no | no | the key is in doubt, and the next message decides |
/// | explained | | no | the key is refused |
package enum KeyTrust {
    package enum Verdict: Equatable {
        case foreignSubscription
        case signAgain
        case keyInDoubt
        case keyRefused
    }

    /// The time for which an accepted message proves its key, in milliseconds. The price of a long time: if a service
    /// blocks the key without stating it, the recipients of its messages are `rejected` for up to a day. These
    /// rejections are counted, and reported once they are more than half of an app's answers.
    package static let provenMilliseconds: Int64 = 86_400_000
    /// The minimum age of a token that is replaced, in seconds. Apple allows at most one new token an hour.
    package static let leastTokenAgeSeconds: Int64 = 3_600

    /// - Parameters:
    ///   - isExplained: whether the service states that it refuses the key.
    ///   - acceptedAt: the uptime in milliseconds at which the service last accepted a message of the key, or `nil` if
    ///     never.
    ///   - isRepeated: whether the message was already sent with a new token.
    package static func verdict(
        isExplained: Bool, acceptedAt: Int64?, nowMilliseconds now: Int64, tokenAgeSeconds: Int64, isRepeated: Bool
    ) -> Verdict {
        if !isExplained, let acceptedAt, now - acceptedAt <= provenMilliseconds { return .foreignSubscription }
        if !isRepeated, tokenAgeSeconds >= leastTokenAgeSeconds { return .signAgain }
        return isExplained ? .keyRefused : .keyInDoubt
    }
}
