/// Judges the `authorization` fields of one connection. Nearly always the value is the one accepted last, which
/// takes one comparison.
struct ConnectionAuthorization {
    private let authority: ProviderTokenAuthority
    private var rules: ProviderTokenRules
    private var accepted: (value: [UInt8], token: ProviderToken)?

    init(authority: ProviderTokenAuthority, environment: SimulatorConfiguration.Environment) {
        self.authority = authority
        rules = ProviderTokenRules(environment: environment)
    }

    /// What the key of the last accepted token may be used for.
    var scope: TokenKey.Scope? { accepted?.token.scope }

    /// - Parameter now: seconds since 1970.
    mutating func judge(_ value: UnsafeRawBufferPointer, at now: Int64) -> RequestFacts.Authorization {
        if let accepted, value.equals(accepted.value) {
            return ProviderTokenRules.checkAge(accepted.token, at: now).map { .refused($0) } ?? .accepted
        }
        guard let token = authority.verify(value) else { return .refused(.invalidProviderToken) }
        let reason = rules.admit(token, at: now)
        authority.noteUse(of: token, refusal: reason, at: now)
        if let reason { return .refused(reason) }
        accepted = (Array(value), token)
        return .accepted
    }

    var hasAccepted: Bool {
        accepted != nil
    }
}
