import ArgumentParser
import CommandSupport
import MartletConfiguration
import PushModel
import Store
import Routing

struct CredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential", abstract: "Manage keys and certificates, which are sealed in the database.",
        subcommands: [
            Import.self, Create.self, Change.self, List.self, CredentialCheckCommand.self, Retire.self, Rekey.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List credentials without their secrets.")

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let (rows, all) = try await withDatabase(options, for: "credential") { _, pool in
                (try await CredentialRepository(pool).list(), try await RefusalRepository(pool).list())
            }
            let credentials = rows.filter { $0.unreadable == nil }
            let refusals = Dictionary(grouping: all, by: \.credential)
            let now = Timestamp.now
            if json {
                try printJSON(
                    credentials.map { credential in
                        WithAccount(
                            base: CredentialDescription(credential, refusals[credential.id] ?? [], now: now),
                            output: credential.output, account: credential.account)
                    })
            } else {
                print(table(credentials, refusals, at: now))
            }
            try printUnreadable(rows.compactMap(\.unreadable))
        }

        private func table(
            _ credentials: [CredentialSummary], _ refusals: [String: [Refusal]], at now: Timestamp
        ) -> Table {
            let rest = [
                "KIND", AccountTerms.header, "KEY", "ENVIRONMENTS", "STATE", "DAYS LEFT", "MASTER KEY", "LABEL",
                "REFUSED",
            ]
            var table = Table(header: ["ID"] + AccountTerms.column("OUTPUT") + rest)
            for credential in credentials {
                let rest = [
                    credential.kind.rawValue, credential.account, credential.keyID ?? "-",
                    credential.environments.map(\.rawValue).sorted().joined(separator: ","),
                    credential.state(refusals[credential.id] ?? []),
                    credential.daysLeft(at: now).map(String.init) ?? "-",
                    credential.masterKeyID, credential.label,
                    refusals[credential.id]?.map(\.text).joined(separator: "; ") ?? "-",
                ]
                table.append([credential.id] + AccountTerms.column(credential.output) + rest)
            }
            return table
        }
    }

    struct Retire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Retire a credential.")

        @Argument(help: "The credential's id.")
        var id: String

        @OptionGroup var bound: BoundAddressOption
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await withDatabase(options, for: "credential") { _, pool in
                try await CredentialRepository(pool).retire(id, boundOutputs: bound.guardedOutputs)
            }
            print("retired credential \(id)")
        }
    }
}

extension CredentialSummary {
    /// Returns `refused` if the credential is active and the provider refuses it for all topics, and the stored state
    /// otherwise.
    func state(_ refusals: [Refusal]) -> String {
        state == .active && refusals.contains { $0.topic == nil } ? "refused" : state.rawValue
    }
}

/// A credential as `--json` shows it.
private struct CredentialDescription: Encodable, Sendable {
    let id, output, kind, state, label, fingerprint, masterKey: String
    let key: String?
    let environments, topics: [String]
    let notBefore, notAfter: String?
    let daysLeft: Int?
    let refusals: [RefusalDescription]

    init(_ summary: CredentialSummary, _ refusals: [Refusal], now: Timestamp) {
        self.refusals = refusals.map(RefusalDescription.init)
        id = summary.id
        kind = summary.kind.rawValue
        output = summary.output
        state = summary.state(refusals)
        label = summary.label
        fingerprint = summary.fingerprint
        masterKey = summary.masterKeyID
        key = summary.keyID
        environments = summary.environments.map(\.rawValue).sorted()
        topics = summary.topics.sorted()
        notBefore = summary.notBefore?.rfc3339
        notAfter = summary.notAfter?.rfc3339
        daysLeft = summary.daysLeft(at: now)
    }
}

/// A refusal as `--json` shows it.
private struct RefusalDescription: Encodable, Sendable {
    let environment, reason, since: String
    let topic: String?

    init(_ refusal: Refusal) {
        environment = refusal.environment.rawValue
        reason = refusal.reason
        since = refusal.since.rfc3339
        topic = refusal.topic
    }
}

extension Refusal {
    /// The refusal as text for operators.
    var text: String {
        "\(environment.rawValue)\(topic.map { " \($0)" } ?? ""): \(reason) since \(since.rfc3339)"
    }
}
