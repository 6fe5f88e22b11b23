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

    /// - Throws: ``ConfigurationError`` where there is none of this name.
    package func named(_ name: String) throws -> any OutputPlugin {
        guard let plugin = first(where: { $0.name == name }) else {
            throw ConfigurationError("there is no output \(name), only: \(map(\.name).joined(separator: ", "))")
        }
        return plugin
    }
}
