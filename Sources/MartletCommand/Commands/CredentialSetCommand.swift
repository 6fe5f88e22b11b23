import ArgumentParser
import CommandSupport
import MartletConfiguration
import PushModel
import Routing
import Store

extension CredentialCommand {
    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change the subject of a credential.",
            discussion: """
                The key stays the same. Workers use the new subject within five seconds, and no push fails in between.
                """)

        @Argument(help: "The credential's id.")
        var id: String

        @Option(help: "The contact in a VAPID key's tokens: mailto:push@yourdomain.com or an https URL.")
        var subject: String

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let id = id.lowercased()
            try await withDatabase(options, for: "credential") { source, pool in
                try await CredentialRepository(pool).change(id, keyring: try source.keyring()) { summary, credential in
                    guard
                        let credentials = Martlet.installed.first(where: { $0.name == summary.output })?.credentials
                    else {
                        throw ValidationError("credential \(id) is of \(summary.output), which is not installed")
                    }
                    var details = CredentialDetails()
                    details.subject = subject
                    details.label = summary.label
                    do {
                        return try credentials.changed(credential, details)
                    } catch let fault as CredentialFault {
                        throw ValidationError("credential \(id) of \(summary.output): \(fault)")
                    }
                }
            }
            print("credential \(id) has the subject \(subject); workers use it within five seconds")
        }
    }
}
