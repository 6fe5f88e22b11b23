import AMQPClient
import ArgumentParser
import CommandSupport
import DeliveryPipeline
import Logging
import MartletConfiguration
import Observability
import PostgresClient
import Store

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check configuration, broker, database, schema, master key, refusals, credentials, expiry and clock.",
        discussion: """
            Changes nothing unless --declare is given. Exits with 1 if a check failed, and with 78 if the configuration \
            cannot be read.
            """)

    @Flag(help: "Declare missing exchanges and queues, as a worker does at its start.")
    var declare = false

    @Flag(
        name: .customLong("operator"), help: "Check for an operator's permissions in the broker instead of a worker's.")
    var isOperator = false

    @Flag(help: "Print JSON after all checks.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The URL of RabbitMQ's management API, to check queue leaders, policies and the broker's clock as the user in amqp.url.",
            valueName: "url"))
    var management: String?

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        if declare, isOperator { throw ValidationError("--declare and --operator cannot be combined") }
    }

    func run() async throws {
        var report = DoctorReport { [json] finding in if !json { print(finding.line) } }
        let source: ConfigurationSource
        do {
            source = try await options.load()
        } catch  where json {
            // A program that reads the JSON gets a document even if the configuration can't be read.
            report.add(.error, "configuration", "\(error)")
            try printJSON(report.document)
            throw error
        }
        await report.check("configuration") {
            _ = try source.pipeline()
            try source.check()
            _ = try source.logLevel()
            _ = try TracingConfiguration(source)
            _ = try StatusAccess(source)
            return "all settings are valid; \(source.place)"
        }
        let keyring = await report.check("master key") {
            let keyring = try source.keyring()
            return (keyring, "\(Phrase.count(keyring.keyIDs.count, "key")), current: \(keyring.currentKeyID)")
        }
        await BrokerChecks(source: source, declares: declare, isOperator: isOperator, management: management).run(
            &report)
        await DatabaseChecks(source: source, keyring: keyring).run(&report)
        if json {
            try printJSON(report.document)
        } else if report.problems > 0 {
            print("\(report.problems) of \(report.findings.count) checks failed")
        }
        if report.problems > 0 { throw ExitCode.failure }
    }
}
