import ArgumentParser
import CommandSupport
import PushModel
import Store

extension CredentialCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a credential that no provider issues, such as a VAPID key.",
            discussion: """
                Prints the public details, such as the public key for subscriptions. The secret is sealed with the current \
                master key before it is stored. Unless --out is given, there is no other copy of the secret: if the keyring \
                is lost, the key is lost, and with it every address that was created for the key.
                """)

        @Option(help: "The contact for push services: mailto:push@yourdomain.com or an https URL.")
        var subject: String?

        @Option(help: "The URL to which its messages are sent.")
        var url: String?

        @Option(help: "A label for operators.")
        var label: String?

        @OptionGroup var backup: KeyBackup

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var output: OutputOption
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard output.account.id == nil else { return }
            throw ValidationError(
                "an account is required: pass \(AccountTerms.all.map { "--\($0)" }.joined(separator: ", "))")
        }

        func run() async throws {
            var details = CredentialDetails()
            details.account = output.account.id
            details.subject = subject
            details.url = url
            details.label = label
            let new = try output.credentials().create(details, now: .now)
            try await backup.keeping(new) {
                try await CredentialSaver(output, json: json).keep(new, as: "created", options)
            }
            if let out = backup.out, !json { print("the private key is in \(out): do not store it with the database") }
        }
    }
}
