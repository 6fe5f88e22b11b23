import ArgumentParser
import CommandSupport
import MartletConfiguration
import OutcomeLedger
import PostgresClient
import Store

struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Find out why a recipient got a push or did not.",
        discussion: """
            Searches the outcome ledger, the dead-letter queue, cancellations, the app and its credentials, the registry \
            of device tokens and the waiting jobs. Changes nothing. Exits with 1 if the outcome is not found.
            """)

    @Option(help: "The job's id.")
    var job: String

    @Option(help: "The recipient's ref.")
    var ref: String?

    @Option(help: "The recipient's device token or other address.")
    var token: String?

    @Option(help: "The job's app, if it cannot be derived.")
    var app: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        if job.isEmpty { throw ValidationError("job: is empty") }
    }

    func run() async throws {
        let source = try await options.load()
        let explanation = try await withDatabase(source, for: "why") { pool in
            Explanation(
                await JobSearch(source: source, pool: pool, job: job, ref: ref, token: token, appName: app).facts())
        }
        if json {
            try printJSON(explanation)
        } else {
            print(explanation)
        }
        if !explanation.found { throw ExitCode.failure }
    }

    private func print(_ explanation: Explanation) {
        CommandSupport.print("\(job): \(explanation.cause)")
        if let advice = explanation.advice { CommandSupport.print(advice) }
        var table = Table(header: ["CHECKED", "FOUND"])
        for check in explanation.checked { table.append([check.what, check.found]) }
        CommandSupport.print(table)
    }
}
