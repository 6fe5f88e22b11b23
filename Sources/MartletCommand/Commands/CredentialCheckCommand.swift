import ArgumentParser
import CommandSupport
import Logging
import MartletConfiguration
import PushModel
import Routing
import Store

struct CredentialCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check with the provider whether it accepts credentials, in each of their environments.",
        discussion: """
            Opens the secret, connects to the provider and sends one request. Unless --token is given, the request names \
            a device token that no device has, so nothing is delivered. If the provider refuses only the token, it accepts \
            the credential. With --token, a background push is sent to that device. Keys in the database use the provider \
            token that the workers share. --file needs no database. Exits with 1 if a check failed.
            """)

    @Argument(help: "The ids of the credentials.")
    var ids: [String] = []

    @Flag(help: "Check every credential that is not retired.")
    var all = false

    @Option(
        name: .customLong("file"),
        help: "A file to check before importing it, as for 'credential import'. May be repeated.",
        completion: .file())
    var files: [String] = []

    @Option(help: "A device token (hex) to which a background push is sent.")
    var token: String?

    @Option(help: "The app for the request: its bundle id, or a topic with its suffix.")
    var app: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var output: OutputOption
    @OptionGroup var credential: CredentialFileOptions
    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard [!ids.isEmpty, all, !files.isEmpty].count(where: { $0 }) == 1 else {
            throw ValidationError("pass credential ids, --all or --file")
        }
    }

    func run() async throws {
        let reports = files.isEmpty ? try await checkStored() : try await checkFiles()
        guard !reports.isEmpty else { throw ValidationError("there is nothing to check") }
        if json {
            try printJSON(reports.map(\.described))
        } else {
            for report in reports { print(report.text) }
        }
        if !reports.allSatisfy(\.isGood) { throw ExitCode.failure }
    }

    private func checkFiles() async throws -> [CredentialCheckReport] {
        let new = try credential.read(files, of: output.account.id, for: output.credentials())
        let opened = Credential(
            id: "file", output: output.name, kind: new.kind, account: new.account, environments: new.environments,
            topics: new.topics)
        return try await runner(try await options.load(), LocalTokenStore(clock: { .now }))
            .run([CheckedCredential(new, of: output.name, .success(opened))])
    }

    private func checkStored() async throws -> [CredentialCheckReport] {
        try await withDatabase(options, for: "credential") { source, pool in
            let keyring = try source.keyring()
            let snapshot = try await SnapshotStore.load(
                from: pool, keyring: keyring, logger: try source.logger("martlet.credential", atLeast: .critical)
            ).current
            let known = Dictionary(snapshot.credentialSummaries.map { ($0.id, $0) }) { $1 }
            let chosen = all ? known.keys.sorted() : ids.map { $0.lowercased() }
            let credentials = try chosen.map { id in
                guard let summary = known[id], let opened = snapshot.opened(id) else {
                    throw StoreError(.notFound, "there is no credential \(id), or it is retired")
                }
                return CheckedCredential(summary, opened)
            }
            return try await runner(source, SharedTokenRepository(pool, keyring: keyring)).run(credentials)
        }
    }

    private func runner(
        _ source: ConfigurationSource, _ tokens: any SharedTokenStore
    ) throws -> CredentialCheckRunner {
        CredentialCheckRunner(
            source: source, tokens: tokens, logger: try source.logger("martlet.credential", atLeast: .critical),
            environments: Set(credential.environments), device: token,
            topic: app ?? credential.topics.first)
    }
}
