import ArgumentParser
import Foundation
import MartletService

@main
struct Martlet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet",
        abstract: "Delivers push jobs from RabbitMQ to Apple's push service and publishes what became of each.",
        discussion: "Exit codes: 0 fine, 1 failed, 64 wrong usage, 78 wrong configuration.",
        version: "0.1.0",
        subcommands: [
            WorkerCommand.self, MigrateCommand.self, AppCommand.self, CredentialCommand.self, JobCommand.self,
            ResultsCommand.self, DeadCommand.self, PushCommand.self, SimulateCommand.self, DoctorCommand.self,
        ])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as ConfigurationError {
            FileHandle.standardError.write(Data("martlet: \(error)\n".utf8))
            Foundation.exit(78)
        } catch {
            exit(withError: error)
        }
    }
}
