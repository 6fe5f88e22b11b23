import ArgumentParser
import Logging
import MartletService

struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger", abstract: "Write down what becomes of recipients, for 'martlet why', until stopped.",
        discussion: """
            Consumes the results exchange with a queue of its own, and keeps ledger.days days. Its user needs nothing else \
            than the role martlet_ledger, and in the broker its own queue and to read the results exchange. Serves /health, \
            /ready and /metrics on http.listen, 127.0.0.1:8081 unless it is set.
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let source = try await options.load()
        try await LedgerProcess(configuration: source, logger: try source.logger("martlet.ledger")).run()
    }
}
