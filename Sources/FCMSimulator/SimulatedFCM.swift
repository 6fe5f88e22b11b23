public import Logging
// Re-exported, because users of this simulator need the types that all simulators share for configuration and fault
// injection.
@_exported public import PushSimulator

/// A simulator of Firebase Cloud Messaging's HTTP v1 service and of Google's endpoint for access tokens.
public typealias SimulatedFCM = SimulatedService<FCMDouble>

extension SimulatedFCM {
    /// Creates a simulator of FCM.
    ///
    /// - Throws: `SimulatorError` if the certificate authority's directory cannot be used.
    public convenience init(
        configuration: FCMSimulatorConfiguration = FCMSimulatorConfiguration(),
        logger: Logger = Logger(label: "fcm-simulator")
    ) throws {
        try self.init(FCMDouble(configuration), configuration: configuration.server, logger: logger)
    }

    public var configuration: FCMSimulatorConfiguration { double.configuration }

    /// The path of the endpoint for access tokens.
    public static var tokenPath: String { TokenEndpoint.path }

    // MARK: Accounts

    /// Accepts assertions of an account from now on.
    public func register(_ account: SimulatedAccount) {
        double.accounts.register(account)
    }

    /// Refuses an account from now on, even on open connections, or ends the refusal if `refusal` is `nil`.
    public func refuse(_ email: String, _ refusal: AccountRefusal?) {
        double.accounts.refuse(email, refusal)
    }

    /// Revokes all issued access tokens.
    public func revokeTokens() {
        double.accounts.revokeTokens()
    }

    /// Sets the answer of the token endpoint to all requests, or restores normal operation if `answer` is `nil`.
    public func setTokenFault(_ answer: PlannedFCMAnswer?) {
        double.accounts.tokenFault = answer
    }

    /// The use of each account, by e-mail address.
    public var accountUses: [String: AccountUse] { double.accounts.uses }

    // MARK: Sends

    /// Sets the quota of all projects. Messages that were already counted in the current period stay counted.
    public func setQuota(_ limit: QuotaLimit) {
        double.quotas.setLimit(limit)
    }

    /// The counts of messages in each period of each project's quota, by project. The oldest period is first.
    public var quotaPeriods: [String: [QuotaPeriod]] { double.quotas.periods }

    /// The first 1,000 violations of the rules for retries and duplicates.
    public var violations: [SendViolation] { double.history.violations }
}
