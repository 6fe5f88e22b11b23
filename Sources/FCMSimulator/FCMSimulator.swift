public import Logging
// Who simulates FCM configures, breaks and reads the simulator by what all simulators share.
@_exported public import PushSimulator

/// Firebase Cloud Messaging's HTTP v1 service, with Google's endpoint for access tokens, on this machine.
public typealias FCMSimulator = PushSimulator<FCMDouble>

extension FCMSimulator {
    /// - Throws: `SimulatorError` if the certificate authority's directory can't be used.
    public convenience init(
        configuration: FCMSimulatorConfiguration = FCMSimulatorConfiguration(),
        logger: Logger = Logger(label: "fcm-simulator")
    ) throws {
        try self.init(FCMDouble(configuration), configuration: configuration.server, logger: logger)
    }

    public var configuration: FCMSimulatorConfiguration { double.configuration }

    /// Where access tokens are to be had.
    public static var tokenPath: String { TokenEndpoint.path }

    // MARK: Accounts

    /// Accepts assertions of this account from now on.
    public func register(_ account: SimulatedAccount) {
        double.accounts.register(account)
    }

    /// Refuses an account from now on, on open connections too; nil: no longer.
    public func refuse(_ email: String, _ refusal: AccountRefusal?) {
        double.accounts.refuse(email, refusal)
    }

    /// Takes back all access tokens that were issued.
    public func revokeTokens() {
        double.accounts.revokeTokens()
    }

    /// What the token endpoint answers to everybody from now on; nil: what is right.
    public func setTokenFault(_ answer: PlannedFCMAnswer?) {
        double.accounts.tokenFault = answer
    }

    /// How each account is used, by e-mail address.
    public var accountUses: [String: AccountUse] { double.accounts.uses }

    // MARK: Sends

    /// Gives all projects another quota. What they have spent in this period counts.
    public func setQuota(_ limit: QuotaLimit) {
        double.quotas.setLimit(limit)
    }

    /// What each project has sent in each period of its quota, the oldest first.
    public var quotaPeriods: [String: [QuotaPeriod]] { double.quotas.periods }

    /// The first 1,000 pushes that should not have been sent.
    public var violations: [SendViolation] { double.history.violations }
}
