import ArgumentParser
import PushModel

/// The options that select an output.
struct OutputOption: ParsableArguments {
    @Option(
        name: .customLong("output"),
        help:
            "The output whose account to set. (default: the output of the named account, otherwise \(Job.defaultOutput))"
    )
    private var given: String?

    @OptionGroup var account: AccountOption

    /// The name of the output: the value of `--output`, or else the output of the account option, or else the default.
    var name: String { given ?? account.word.flatMap { AccountTerms.outputs(of: $0).first } ?? Job.defaultOutput }

    func validate() throws {
        guard let word = account.word else { return }
        let outputs = AccountTerms.outputs(of: word)
        if let given, !outputs.contains(given) {
            throw ValidationError("--\(word) is of \(outputs.joined(separator: ", ")), not of \(given)")
        }
        if given == nil, outputs.count > 1 {
            throw ValidationError("--output: is required with --\(word), as one of \(outputs.joined(separator: ", "))")
        }
    }

    /// Returns the plugin of the output.
    /// - Throws: `ValidationError` if there is no output with this name.
    func plugin() throws -> any OutputPlugin {
        guard let plugin = Martlet.installed.first(where: { $0.name == name }) else {
            throw ValidationError(
                "--output: is \(name), but must be one of: \(Martlet.installed.map(\.name).joined(separator: ", "))")
        }
        return plugin
    }

    /// Returns the credential functions of the output, for a command about an account or a credential.
    ///
    /// - Throws: `ValidationError` if the output does not exist or needs no credentials.
    func credentials() throws -> any OutputCredentials {
        guard let credentials = try plugin().credentials else {
            throw ValidationError("--output: \(name) needs no credentials")
        }
        return credentials
    }
}
