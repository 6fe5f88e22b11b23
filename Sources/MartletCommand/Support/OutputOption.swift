import ArgumentParser
import PushModel

/// Which output something is of.
struct OutputOption: ParsableArguments {
    @Option(name: .customLong("output"), help: "Which output's. (default: \(Job.defaultOutput))")
    var given: String?

    var name: String { given ?? Job.defaultOutput }

    /// - Throws: where there is none of this name.
    func plugin() throws -> any OutputPlugin {
        guard let plugin = Martlet.installed.first(where: { $0.name == name }) else {
            throw ValidationError(
                "--output: there is no \(name), only: \(Martlet.installed.map(\.name).joined(separator: ", "))")
        }
        return plugin
    }

    /// For what is about an account or a credential.
    ///
    /// - Throws: where it needs no credentials; where several outputs do, and nobody says which is meant.
    func credentials() throws -> any OutputCredentials {
        if given == nil, AccountWords.areMany {
            throw ValidationError("--output: say whose it is: \(AccountWords.outputs.joined(separator: ", "))")
        }
        guard let credentials = try plugin().credentials else {
            throw ValidationError("--output: \(name) needs no credentials")
        }
        return credentials
    }
}
