/// The rules for provider tokens that APNs enforces on each connection separately. All times are in seconds since 1970.
package struct ProviderTokenRules: Sendable {
    /// The maximum age of a token, in seconds (Apple: "Establishing a token-based connection to APNs").
    package static let greatestAge: Int64 = 60 * 60
    /// The minimum time between two tokens of one key on one connection, in seconds (Apple: "Establishing a token-based
    /// connection to APNs").
    package static let leastTimeBetweenTokens: Int64 = 20 * 60
    /// The maximum time by which a client's clock may be ahead of the simulator's, in seconds. Apple publishes no
    /// value, but the live service has been observed to tolerate some difference.
    package static let clockTolerance: Int64 = 5 * 60

    private let environment: SimulatorConfiguration.Environment
    /// The current token of each key, with the time of its first use on this connection. The dictionary keys are key
    /// ids.
    private var current: [String: (token: ProviderToken, since: Int64)] = [:]
    private var first: ProviderToken?

    package init(environment: SimulatorConfiguration.Environment = .production) {
        self.environment = environment
    }

    /// Returns the reason for refusing a verified token, or `nil` to accept it.
    package mutating func admit(_ token: ProviderToken, at now: Int64) -> RejectionReason? {
        if let reason = Self.checkAge(token, at: now) ?? checkKey(token) { return reason }
        // The first token binds the connection to its team and its kind of key.
        first = first ?? token
        if let known = current[token.keyID] {
            guard token != known.token else { return nil }
            guard now - known.since >= Self.leastTimeBetweenTokens else { return .tooManyProviderTokenUpdates }
        }
        current[token.keyID] = (token, now)
        return nil
    }

    /// Returns the reason why a token's key may not be used on this connection, or `nil` if it may (Apple:
    /// "Establishing a token-based connection to APNs").
    private func checkKey(_ token: ProviderToken) -> RejectionReason? {
        if let first, token.team != first.team { return .invalidProviderToken }
        guard token.scope.environments.contains(environment) else { return .badEnvironmentKeyInToken }
        guard let first, token.keyID != first.keyID else { return nil }
        if token.scope.topics.isEmpty, first.scope.topics.isEmpty { return nil }
        let areRelated = token.scope.relatedKeyID == first.keyID || first.scope.relatedKeyID == token.keyID
        return areRelated && !token.scope.topics.isEmpty && !first.scope.topics.isEmpty ? nil : .unrelatedKeyIDInToken
    }

    package static func checkAge(_ token: ProviderToken, at now: Int64) -> RejectionReason? {
        now - token.issuedAt > greatestAge || token.issuedAt - now > clockTolerance ? .expiredProviderToken : nil
    }
}
