import ArgumentParser
import CommandSupport
import MartletConfiguration
import Observability
import Store

extension CredentialCommand {
    struct Rekey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Seal all secrets again with the current master key.",
            discussion: """
                Seals credentials, including retired ones, and provider tokens while workers run. Every worker must already \
                have the current master key. The command can be interrupted and run again. Exits with 1 if a secret could not \
                be opened.
                """)

        @Flag(help: "Open every secret and report what would change, without changing anything.")
        var dryRun = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let (report, keyring) = try await withDatabase(options, for: "credential rekey") { source, pool in
                let keyring = try source.keyring()
                var progress = Progress()
                let report = try await Rekeying(pool, keyring: keyring, isDryRun: dryRun).run { seen in
                    progress.report { _ in "checked \(Phrase.count(seen, "row"))" }
                }
                return (report, keyring)
            }
            print(
                "\(dryRun ? "would reseal" : "resealed") \(report.resealed) of "
                    + "\(Phrase.count(report.rows, "row")) with master key \(keyring.currentKeyID)")
            for problem in report.problems { print("could not open: \(problem)") }
            for key in keyring.keyIDs.union(report.rowsByMasterKey.keys).sorted() where key != keyring.currentKeyID {
                let count = report.rowsByMasterKey[key] ?? 0
                print(
                    count == 0
                        ? "no row needs master key \(key)"
                        : "master key \(key) is still needed by \(Phrase.count(count, "row"))")
            }
            if !report.problems.isEmpty { throw ExitCode.failure }
        }
    }
}
