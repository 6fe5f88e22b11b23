import AMQPClient
import ArgumentParser
import DeliveryPipeline
import OutcomeLedger
import MartletService

struct TopologyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topology", abstract: "Print the exchanges, queues and users that the broker needs.",
        discussion: """
            For the prefix, the virtual host and the delays of the configuration. For a broker where workers may declare \
            nothing (amqp.declare: false), whoever may gives 'definitions' to rabbitmqctl import_definitions, or runs what \
            'rabbitmqadmin' prints. Does not ask the broker.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, definitions, rabbitmqadmin
    }

    @Option(help: "table, definitions (JSON) or rabbitmqadmin (commands of a shell).")
    var format = Format.table

    @Flag(help: "Also the queue of 'martlet ledger', which fills where none runs.")
    var ledger = false

    @Flag(help: "Also users with the least rights, who have no password yet: for none there is already.")
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
        case .definitions:
            try printJSON(plan.definitions)
            printError(plan.warning)
        case .rabbitmqadmin: for line in plan.commands { print(line) }
        }
        if users, format != .table {
            printError(
                "The users have no password yet: rabbitmqctl change_password NAME. Who exists already would lose "
                    + "the one that he has: make them once, or leave --users out.")
        }
    }
}
