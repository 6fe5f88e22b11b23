/// A value for `--json` with its account, which has the output's word for an account as its key.
struct WithAccount<Base: Encodable & Sendable>: Encodable, Sendable {
    let base: Base
    let output: String
    /// The account, or an empty string if there is none.
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
        try container.encode(account, forKey: Key(stringValue: AccountWords.word(of: output)))
    }
}
