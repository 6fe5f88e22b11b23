import MartletConfiguration
import Observability
import PushModel
import Store
import Routing

/// The `doctor` check for credentials that can be decrypted but do not work with the configuration.
struct CredentialChecks {
    let source: ConfigurationSource
    let snapshot: Snapshot

    /// Returns the text of the finding if all credentials can be used.
    ///
    /// - Throws: `DoctorWarning` if a credential has a problem, or if an account has several keys and its addresses
    ///   work only with one of them; `ConfigurationError` if the configuration is invalid.
    func run() throws -> String {
        let known = Dictionary(source.outputs.map { ($0.name, $0.credentials) }) { $1 }
        let problems = try snapshot.credentialSummaries.compactMap { summary -> String? in
            guard case .success(let credential)? = snapshot.opened(summary.id),
                let problem = try source.problem(with: credential, of: summary.output)
            else { return nil }
            return "\(summary.output) \(summary.account) (\(summary.id)) \(problem)"
        }
        guard problems.isEmpty else {
            throw DoctorWarning(
                Phrase.list(problems.sorted()), todo: "change it with 'martlet credential set', or import it again")
        }
        let bound = snapshot.credentialSummaries.filter { known[$0.output]??.addressesAreBound ?? false }
        let several = Dictionary(grouping: bound) { "\($0.output) \($0.account)" }.filter { $0.value.count > 1 }
        guard several.isEmpty else {
            throw DoctorWarning(
                "several keys in use: \(Phrase.list(several.keys.sorted())); addresses made with an older key fail",
                todo: "set each app's key with 'martlet app set --credential', or retire the key that no address needs"
            )
        }
        return "all credentials follow the known rules"
    }
}

extension ConfigurationSource {
    /// Returns the problem that the output finds in a credential under this configuration, or `nil` if there is no
    /// problem or the output is not installed.
    ///
    /// - Throws: `ConfigurationError` if the configuration is invalid.
    func problem(with credential: Credential, of output: String) throws -> String? {
        guard let plugin = outputs.first(where: { $0.name == output }), let credentials = plugin.credentials else {
            return nil
        }
        return try problem(with: credential, of: plugin, credentials)
    }

    private func problem(
        with credential: Credential, of plugin: some OutputPlugin, _ credentials: any OutputCredentials
    ) throws -> String? {
        try withSettings(of: plugin) { try credentials.problem(with: credential, $0) }
    }
}
