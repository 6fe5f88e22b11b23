import ArgumentParser
import PushModel

extension CredentialCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import a .p8 key, a .p12, or PEM or DER files with a certificate and its key.",
            discussion: """
                Other outputs have other files: a VAPID key is PEM or base64url. The secret is sealed with the current \
                master key before it leaves this process.
                """)

        @Argument(
            help: "A .p8 key, a .p12, PEM or DER; certificate, chain and key may be in several files.",
            completion: .file())
        var files: [String]

        @Flag(help: "Say what is in the files and import nothing; needs no database.")
        var dryRun = false

        @Flag(help: "As JSON.")
        var json = false

        @OptionGroup var output: OutputOption
        @OptionGroup var credential: CredentialFileOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let new = try credential.read(
                files, of: output.account.id, for: output.credentials(), isTrial: dryRun)
            let keeper = try CredentialSaver(output, json: json)
            guard dryRun else { return try await keeper.keep(new, as: "imported", options) }
            try await keeper.show(new, options)
        }
    }
}
