package import PushModel

extension [any OutputPlugin] {
    /// What each output calls an account, by the output's name; those that need no credentials call it nothing.
    package var accountNames: [String: String] {
        Dictionary(compactMap { plugin in plugin.credentials.map { (plugin.name, $0.accountName) } }) { first, _ in
            first
        }
    }

    /// By the output's name.
    package var recipients: [String: RecipientForm] {
        Dictionary(map { ($0.name, $0.recipients) }) { first, _ in first }
    }
}
