import ArgumentParser
import Glibc
import MartletService

struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet",
        abstract:
            "Delivers push jobs from RabbitMQ to iPhones, Android phones, browsers and web servers, and tells what became of each.",
        discussion: "Exit codes: 0 fine, 1 failed, 64 wrong usage, 78 wrong configuration.",
        version: Worker.build,
        subcommands: [
            WorkerCommand.self, TopCommand.self, MigrateCommand.self, AppCommand.self,
            CredentialCommand.self, AuditCommand.self,
            JobCommand.self, TokenCommand.self, ResultsCommand.self, DeadCommand.self, PushCommand.self,
            WhyCommand.self, LedgerCommand.self,
        ] + Martlet.commands + [TopologyCommand.self, DoctorCommand.self])
}
