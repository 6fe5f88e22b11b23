/// The rules for provider tokens that APNs keeps for each connection by itself. Times are seconds since 1970.
package struct ProviderTokenRules: Sendable {
    /// A token's greatest age (Apple: "Establishing a token-based connection to APNs").
    package static let greatestAge: Int64 = 60 * 60
    /// The least time between two tokens on one connection (same page).
    package static let leastTimeBetweenTokens: Int64 = 20 * 60
    /// How far ahead of ours a client's clock may be. Not published; some tolerance has been observed.
    package static let clockTolerance: Int64 = 5 * 60

    /// The token in force and the time of its first use here.
    private var current: (token: ProviderToken, since: Int64)?

    package init() {}

    /// Decides on a verified token that comes with a request; nil: it is accepted.
    package mutating func admit(_ token: ProviderToken, at now: Int64) -> RejectionReason? {
        if let reason = Self.checkAge(token, at: now) { return reason }
        guard let current else {
            // The first token binds the connection to its team.
            self.current = (token, now)
            return nil
        }
        guard token != current.token else { return nil }
        guard token.team == current.token.team else { return .invalidProviderToken }
        guard now - current.since >= Self.leastTimeBetweenTokens else { return .tooManyProviderTokenUpdates }
        self.current = (token, now)
        return nil
    }

    package static func checkAge(_ token: ProviderToken, at now: Int64) -> RejectionReason? {
        now - token.issuedAt > greatestAge || token.issuedAt - now > clockTolerance ? .expiredProviderToken : nil
    }
}
