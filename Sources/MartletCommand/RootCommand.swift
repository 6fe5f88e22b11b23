import ArgumentParser
import Foundations
import Observability

struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet",
        abstract:
            "Delivers push jobs from RabbitMQ to iPhones, Android phones, browsers and web servers, and reports every outcome.",
        discussion: "Exit codes: 0 success, 1 failure, 64 wrong usage, 78 wrong configuration.",
        version: Build.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Operation",
                subcommands: [
                    WorkerCommand.self, LedgerCommand.self, MigrateCommand.self, ConfigCommand.self,
                    TopologyCommand.self, DoctorCommand.self, TopCommand.self,
                ]),
            CommandGroup(
                name: "Apps and credentials",
                subcommands: [AppCommand.self, CredentialCommand.self, AuditCommand.self] + Martlet.commands),
            CommandGroup(
                name: "Jobs and outcomes",
                subcommands: [
                    JobCommand.self, PushCommand.self, ResultsCommand.self, WhyCommand.self, DeadCommand.self,
                    TokenCommand.self,
                ]),
        ])
}
