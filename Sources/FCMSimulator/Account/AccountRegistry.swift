internal import PushSimulator
internal import Foundations

/// A registry of the service accounts and their access tokens.
final class AccountRegistry: Sendable {
    private struct State {
        var accounts: [String: SimulatedAccount] = [:]
        /// The project ids. The keys are project ids and project numbers.
        var projects: [String: String] = [:]
        var tokens: [String: AccessToken] = [:]
        /// The texts of the tokens of each account, oldest first. The keys are the accounts' e-mail addresses.
        var issued: [String: [String]] = [:]
        var uses: [String: AccountUse] = [:]
        var refusals: [String: AccountRefusal] = [:]
        var tokenFault: PlannedFCMAnswer?
    }

    private let state = Mutex(State())
    private let edition = Atomic(0)
    /// The number of random bytes in a token. The token's text is then about as long as that of Google's tokens, which
    /// contribute much to the size of a request.
    private static let tokenBytes = 750
    /// The maximum number of tokens that are kept for an account. A client needs one token an hour.
    private static let mostTokens = 1_000

    init(_ accounts: [SimulatedAccount]) {
        for account in accounts { register(account) }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        edition.add(1, ordering: .relaxed)
    }

    /// A number that increases whenever an account, a token or a refusal of an account changes. Connections then
    /// discard their cached results about bearers.
    var currentEdition: Int { edition.load(ordering: .relaxed) }

    func register(_ account: SimulatedAccount) {
        change {
            $0.accounts[account.email] = account
            $0.projects[account.project] = account.project
            $0.projects[account.projectNumber] = account.project
        }
    }

    /// Returns the account that an assertion names as issuer, and the account that has the assertion's key. Either may
    /// be `nil`.
    func accounts(email: String?, keyID: String?) -> (issuer: SimulatedAccount?, signer: SimulatedAccount?) {
        state.withLock { state in
            (email.flatMap { state.accounts[$0] }, state.accounts.values.first { $0.keyID == keyID })
        }
    }

    /// Returns the id of the project with an id or number, or `nil` if there is no such project.
    func project(_ name: String) -> String? {
        state.withLock { $0.projects[name] }
    }

    // MARK: Tokens

    /// Issues a token and returns its text. The account's oldest token becomes unknown if there are too many.
    func issue(_ token: AccessToken, at now: Int64) -> String {
        var random = SystemRandomNumberGenerator()
        let text =
            "ya29."
            + UnpaddedBase64.encode((0..<Self.tokenBytes).map { _ in UInt8.random(in: 0...255, using: &random) })
        change { state in
            state.tokens[text] = token
            state.issued[token.email, default: []].append(text)
            if let issued = state.issued[token.email], issued.count > Self.mostTokens {
                state.tokens[issued[0]] = nil
                state.issued[token.email]?.removeFirst()
            }
            state.uses[token.email, default: AccountUse()].issued(at: now)
        }
        return text
    }

    /// Returns the permissions of a token, or `nil` if the token was never issued or was revoked.
    func token(_ text: String) -> AccessToken? { state.withLock { $0.tokens[text] } }

    /// Revokes all issued tokens.
    func revokeTokens() {
        change {
            $0.tokens = [:]
            $0.issued = [:]
        }
    }

    func noteTokenRequest(by email: String) {
        state.withLock { $0.uses[email, default: AccountUse()].tokenRequests += 1 }
    }

    var uses: [String: AccountUse] { state.withLock(\.uses) }

    // MARK: Refusals

    /// The answer of the token endpoint to all requests, or `nil` for normal operation.
    var tokenFault: PlannedFCMAnswer? {
        get { state.withLock(\.tokenFault) }
        set { state.withLock { $0.tokenFault = newValue } }
    }

    func refuse(_ email: String, _ refusal: AccountRefusal?) {
        change { $0.refusals[email] = refusal }
    }

    func refusal(of email: String) -> AccountRefusal? { state.withLock { $0.refusals[email] } }

    func forgetUsesAndRefusals() {
        change {
            $0.uses = [:]
            $0.refusals = [:]
            $0.tokenFault = nil
        }
    }
}
