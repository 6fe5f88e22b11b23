import ArgumentParser
import Glibc
import MartletService

@main
struct Martlet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet",
        abstract: "Delivers push jobs from RabbitMQ to Apple's push service and publishes what became of each.",
        discussion: "Exit codes: 0 fine, 1 failed, 64 wrong usage, 78 wrong configuration.",
        version: "0.1.0",
        subcommands: [
            WorkerCommand.self, MigrateCommand.self, AppCommand.self, CredentialCommand.self, AuditCommand.self,
            JobCommand.self, TokenCommand.self, ResultsCommand.self, DeadCommand.self, ChannelCommand.self,
            PushCommand.self,
            SimulateCommand.self,
            DoctorCommand.self,
        ])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            leave(0)
        } catch let error as ConfigurationError {
            printError("martlet: \(error)")
            leave(78)
        } catch {
            let code = exitCode(for: error)
            let message = fullMessage(for: error)
            // Help and version are errors, too, which are no failure.
            if message.isEmpty { leave(code.rawValue) }
            if code.isSuccess { print(help: message) } else { printError(message) }
            leave(code.rawValue)
        }
    }

    /// Ends the process without the C library's exit handlers: OpenSSL's would free what threads of libpq that
    /// are just ending free as well (OPENSSL_cleanup and OPENSSL_thread_stop do not wait for each other).
    private static func leave(_ code: Int32) -> Never {
        fflush(nil)
        _exit(code)
    }
}
