import ArgumentParser
import Logging
import MartletWorker

struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Run the outcome ledger, which stores outcomes for 'martlet why', until stopped.",
        discussion: """
            Consumes the results exchange through its own queue and keeps outcomes for ledger.days days. Needs the database \
            role martlet_ledger, and permission in the broker for its queue and to read the results exchange. Serves /health, \
            /ready and /metrics on http.listen (default: 127.0.0.1:8081).
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let source = try await options.load()
        try await LedgerProcess(configuration: source, logger: try source.logger("martlet.ledger")).run()
    }
}
