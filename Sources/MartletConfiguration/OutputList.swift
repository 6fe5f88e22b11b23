package import PushModel

extension [any OutputPlugin] {
    /// The term that each output uses for an account, by the output's name. Outputs without credentials have no entry.
    package var accountNames: [String: String] {
        Dictionary(compactMap { plugin in plugin.credentials.map { (plugin.name, $0.accountName) } }) { first, _ in
            first
        }
    }

    /// The address form of each output, by the output's name.
    package var recipients: [String: RecipientForm] {
        Dictionary(map { ($0.name, $0.recipients) }) { first, _ in first }
    }
}
