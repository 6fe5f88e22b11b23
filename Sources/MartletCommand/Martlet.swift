package import ArgumentParser
import Dispatch
import Glibc
import MartletService
public import PushModel
import Threading

/// The command `martlet`, which is assembled from outputs.
public enum Martlet {
    struct Parts: Sendable {
        var outputs: [any OutputPlugin] = []
        var commands: [any ParsableCommand.Type] = []
    }

    /// The outputs and commands that make up the program. They are set once, before arguments are parsed, because the
    /// parser creates the commands itself and can't pass the outputs to them.
    private static let parts = Mutex(Parts())

    /// The outputs from which the command was assembled.
    package static var installed: [any OutputPlugin] { parts.withLock { $0.outputs } }
    static var commands: [any ParsableCommand.Type] { parts.withLock { $0.commands } }

    /// Runs the command that the arguments name and ends the process. Only the given outputs are available.
    public static func main(outputs: [any OutputPlugin]) -> Never {
        main(outputs: outputs, commands: [])
    }

    /// Runs the command that the arguments name and ends the process.
    ///
    /// This function is synchronous, because Swift opens file descriptors of its own before the first line of an
    /// asynchronous `main` runs. Closed standard descriptors must be opened earlier.
    ///
    /// - Parameter commands: the commands to add to the standard commands.
    package static func main(outputs: [any OutputPlugin], commands: [any ParsableCommand.Type]) -> Never {
        StandardDescriptors.openClosed()
        Task { await run(outputs: outputs, commands: commands) }
        dispatchMain()
    }

    private static func run(outputs: [any OutputPlugin], commands: [any ParsableCommand.Type]) async -> Never {
        let faults = OutputListCheck(outputs, accountWords: AccountTerms.taken).faults
        if !faults.isEmpty {
            for fault in faults { printError("martlet: \(fault)") }
            leave(78)
        }
        parts.withLock { $0 = Parts(outputs: outputs, commands: commands) }
        do {
            let command = try RootCommand.parseAsRoot()
            do {
                try await run(command)
            } catch let error as ValidationError {
                // The command is already running, so the parser would print the usage of the root command.
                printError("Error: \(error.message)\nUsage: \(RootCommand.usageString(for: type(of: command)))")
                leave(RootCommand.exitCode(for: error).rawValue)
            }
            leave(0)
        } catch let error as ConfigurationError {
            printError("martlet: \(error)")
            leave(78)
        } catch {
            let code = RootCommand.exitCode(for: error)
            let message = RootCommand.fullMessage(for: error)
            // Help and version are also errors, but not failures.
            if message.isEmpty { leave(code.rawValue) }
            if code.isSuccess { print(help: message) } else { printError(message) }
            leave(code.rawValue)
        }
    }

    private static func run(_ command: any ParsableCommand) async throws {
        var command = command
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    /// Ends the process without the exit handlers of the C library. OpenSSL's handler would free memory that ending
    /// threads of libpq also free, because `OPENSSL_cleanup` and `OPENSSL_thread_stop` do not wait for each other.
    private static func leave(_ code: Int32) -> Never {
        fflush(nil)
        _exit(code)
    }
}
