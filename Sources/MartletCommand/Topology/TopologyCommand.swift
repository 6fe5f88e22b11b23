import AMQPClient
import ArgumentParser
import CommandSupport
import Contract
import DeliveryPipeline
import MartletConfiguration
import OutcomeLedger

struct TopologyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topology", abstract: "Print the exchanges, queues and users that Martlet needs in the broker.",
        discussion: """
            For the prefix, the virtual host and the delays in the configuration. Does not connect to the broker. If workers \
            must not declare anything (amqp.declare: false), an administrator imports 'definitions' with rabbitmqctl \
            import_definitions, or runs the commands of 'rabbitmqadmin'.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, definitions, rabbitmqadmin
    }

    @Option(help: "The format: table, definitions (JSON) or rabbitmqadmin (shell commands).")
    var format = Format.table

    @Flag(help: "Include the queue of 'martlet ledger'. It fills up if no ledger runs.")
    var ledger = false

    @Flag(help: "Include users with the least permissions, without passwords. Existing users must not be listed.")
    var users = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let source = try await options.load()
        let pipeline = try source.pipeline()
        var topology = pipeline.topology
        if ledger {
            let ledger = pipeline.names.ledgerTopology
            topology.queues += ledger.queues
            topology.bindings += ledger.bindings
        }
        let plan = TopologyPlan(
            topology: topology, virtualHost: try source.broker().virtualHost,
            users: users
                ? BrokerUser.all(names: pipeline.names, declares: pipeline.provision == .declared, ledger: ledger) : [])
        switch format {
        case .table: for line in plan.tables { print(line) }
        case .definitions: try printJSON(plan.definitions)
        case .rabbitmqadmin: for line in plan.commands { print(line) }
        }
        if users, format != .table {
            printError(
                "The new users have no password yet: rabbitmqctl change_password NAME. An existing user would lose "
                    + "its password: create the users once, or omit --users.")
        }
    }
}
