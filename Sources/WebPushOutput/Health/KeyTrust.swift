import PushModel

/// The rules that decide whether a push service's 401 or 403 concerns the key or only the subscription. A value type
/// without clock or I/O.
///
/// Services give the same answer for an unknown key and for a subscription that was made with another key. Windows'
/// service also gives it for stale subscriptions. While the key is proven, an unexplained refusal therefore concerns
/// the subscription. A key is proven if the service has recently accepted a message with it.
///
/// | refusal | key proven | token at least an hour old | result |
/// |---|---|---|---|
/// | unexplained | yes | any | the subscription is at fault |
/// | unexplained | no | yes | the message is sent once more with a new token |
/// | unexplained | no | no | the key is in doubt, and the next message decides |
/// | explained | any | yes | the message is sent once more with a new token |
/// | explained | any | no | the key is refused |
package enum KeyTrust {
    package enum Verdict: Equatable {
        case foreignSubscription
        case signAgain
        case keyInDoubt
        case keyRefused
    }

    /// The time for which an accepted message proves its key, in milliseconds. A long time has a price. If a service
    /// blocks the key without an explanation, messages are `rejected` for up to a day. The rejections are counted, and
    /// they are reported once they are more than half of an app's answers.
    package static let provenMilliseconds: Int64 = 86_400_000
    /// The minimum age at which a token is replaced, in seconds. Apple allows at most one new token an hour.
    package static let leastTokenAgeSeconds: Int64 = 3_600

    /// Decides how to treat a refused message.
    ///
    /// - Parameters:
    ///   - isExplained: whether the service states that it refuses the key.
    ///   - acceptedAt: the uptime in milliseconds at which the service last accepted a message with the key, or `nil`
    ///     if never.
    ///   - isRepeated: whether the message was already sent with a new token.
    package static func verdict(
        isExplained: Bool, acceptedAt: Int64?, nowMilliseconds now: Int64, tokenAgeSeconds: Int64, isRepeated: Bool
    ) -> Verdict {
        if !isExplained, let acceptedAt, now - acceptedAt <= provenMilliseconds { return .foreignSubscription }
        if !isRepeated, tokenAgeSeconds >= leastTokenAgeSeconds { return .signAgain }
        return isExplained ? .keyRefused : .keyInDoubt
    }
}
