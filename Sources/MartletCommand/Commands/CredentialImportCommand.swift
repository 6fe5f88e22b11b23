import ArgumentParser
import PushModel

extension CredentialCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import a .p8 key, a .p12 file, or PEM or DER files with a certificate and its key.",
            discussion: """
                Other outputs have other files: a VAPID key is PEM or base64url. The secret is sealed with the current \
                master key before it is stored.
                """)

        @Argument(
            help: "The .p8, .p12, PEM or DER files. Certificate, chain and key may be in separate files.",
            completion: .file())
        var files: [String]

        @Flag(help: "Print the contents of the files without importing them. Needs no database.")
        var dryRun = false

        @Flag(help: "Print JSON.")
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
