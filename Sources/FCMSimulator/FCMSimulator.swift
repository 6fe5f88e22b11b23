public import Logging
// Re-exported because users of this simulator configure it and inject faults through types that all simulators share.
@_exported public import PushSimulator

/// A simulator of Firebase Cloud Messaging's HTTP v1 service and of Google's endpoint for access tokens.
public typealias FCMSimulator = PushSimulator<FCMDouble>

extension FCMSimulator {
    /// Creates a simulator of FCM.
    ///
    /// - Throws: `SimulatorError` if the certificate authority's directory can't be used.
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

    /// Accepts assertions of this account from now on.
    public func register(_ account: SimulatedAccount) {
        double.accounts.register(account)
    }

    /// Refuses an account from now on, also on open connections. `nil` ends the refusal.
    public func refuse(_ email: String, _ refusal: AccountRefusal?) {
        double.accounts.refuse(email, refusal)
    }

    /// Revokes all access tokens that were issued.
    public func revokeTokens() {
        double.accounts.revokeTokens()
    }

    /// Sets the answer of the token endpoint to all requests. `nil` restores normal operation.
    public func setTokenFault(_ answer: PlannedFCMAnswer?) {
        double.accounts.tokenFault = answer
    }

    /// The use of each account, by e-mail address.
    public var accountUses: [String: AccountUse] { double.accounts.uses }

    // MARK: Sends

    /// Sets the quota of all projects. Messages already spent in the current period count towards it.
    public func setQuota(_ limit: QuotaLimit) {
        double.quotas.setLimit(limit)
    }

    /// The messages that each project has sent in each period of its quota, oldest period first.
    public var quotaPeriods: [String: [QuotaPeriod]] { double.quotas.periods }

    /// The first 1,000 pushes that should not have been sent.
    public var violations: [SendViolation] { double.history.violations }
}
