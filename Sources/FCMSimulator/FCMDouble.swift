public import PushSimulator

/// The simulator's model of FCM: the accounts, the quotas, the history of pushes, and the rules for each connection.
public struct FCMDouble: PushDouble {
    let configuration: FCMSimulatorConfiguration
    let accounts: AccountRegistry
    let quotas: QuotaRegistry
    let history: SendHistory

    init(_ configuration: FCMSimulatorConfiguration) {
        self.configuration = configuration
        accounts = AccountRegistry(configuration.accounts)
        quotas = QuotaRegistry(configuration.quota)
        history = SendHistory(leastRetryDelay: configuration.leastRetryDelay)
    }

    public func begin(_ client: ConnectingClient, answers: ChosenAnswers<PlannedFCMAnswer>) throws
        -> any ConnectionRules
    {
        try FCMRules(self, answers)
    }

    public func reset() {
        accounts.forgetUsesAndRefusals()
        quotas.reset()
        history.reset()
    }

    public static var commands: [ControlCommand<FCMDouble>] {
        [
            ControlCommand(.post, "accounts", ControlMessage.Account.self) { $0.register($1.account) },
            ControlCommand(.post, "accounts/refuse", step: "account", ControlMessage.RefusedAccount.self) {
                $0.refuse($1.email, $1.refusal)
            },
            ControlCommand(.post, "tokens/revoke", step: "revoke") { $0.revokeTokens() },
            ControlCommand(.put, "tokens/fault", step: "token_fault", ControlMessage.TokenFault.self) {
                $0.setTokenFault($1.answer)
            },
            ControlCommand(.delete, "tokens/fault") { $0.setTokenFault(nil) },
            ControlCommand(.put, "quota", step: "quota", ControlMessage.Quota.self) { $0.setQuota($1.limit) },
        ]
    }

    public static var views: [ControlView<FCMDouble>] {
        [
            ControlView("accounts") { simulator, _ in simulator.accountUses },
            ControlView("quota") { simulator, _ in simulator.quotaPeriods },
            ControlView("violations") { simulator, _ in simulator.violations },
        ]
    }
}
