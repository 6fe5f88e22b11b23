/// What to make of it when an origin refuses what proves who we are. A value: no clock, no I/O.
///
/// Services use the same status for a key that they do not know and for a subscription that was made with another key.
/// So a refusal that does not say which counts against the subscription for as long as others with the same key are
/// accepted there in between.
///
/// | refusal | others were accepted | then |
/// |---|---|---|
/// | unexplained | yes, and fewer than 20 were refused since | the subscription is of another key |
/// | either | no, or more were | a token that is an hour old is made anew, and the message goes out once more; else the key is refused |
/// | of the key, in so many words | – | the same |
package struct KeyTrust: Sendable {
    package enum Verdict: Equatable {
        case foreignSubscription
        case signAgain
        case keyRefused
    }

    package static let mostForeign = 20
    /// Apple wants no more than one new token an hour.
    package static let leastTokenAgeSeconds: Int64 = 3_600

    private var refusedInARow = 0

    package init() {}

    package mutating func accepted() { refusedInARow = 0 }

    /// - Parameters:
    ///   - isExplained: the service says that it is the key.
    ///   - isProven: the token was accepted for others.
    ///   - isRepeated: the message has gone out with a new token before.
    package mutating func refused(
        isExplained: Bool, isProven: Bool, tokenAgeSeconds: Int64, isRepeated: Bool
    ) -> Verdict {
        refusedInARow += 1
        if !isExplained, isProven, refusedInARow <= Self.mostForeign { return .foreignSubscription }
        return !isRepeated && tokenAgeSeconds >= Self.leastTokenAgeSeconds ? .signAgain : .keyRefused
    }
}
