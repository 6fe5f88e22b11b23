/// A value with its account, as `--json` shows it. The key of the account is the output's term for an account, such as
/// `team`.
struct WithAccount<Base: Encodable & Sendable>: Encodable, Sendable {
    let base: Base
    let output: String
    /// The account, or an empty string if there is none. An empty account is left out.
    let account: String

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        try base.encode(to: encoder)
        if account.isEmpty { return }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(account, forKey: Key(stringValue: AccountTerms.word(of: output)))
    }
}
