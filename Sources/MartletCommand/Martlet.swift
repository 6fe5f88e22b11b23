package import ArgumentParser
import Dispatch
import Glibc
import MartletService
public import PushModel
import Threading

/// The command, put together from outputs.
public enum Martlet {
    struct Parts: Sendable {
        var outputs: [any OutputPlugin] = []
        var commands: [any ParsableCommand.Type] = []
    }

    /// Said once, before anything is parsed: commands are made by the parser, so nobody can hand it to them.
    private static let parts = Mutex(Parts())

    /// Those that it was put together from.
    package static var installed: [any OutputPlugin] { parts.withLock { $0.outputs } }
    static var commands: [any ParsableCommand.Type] { parts.withLock { $0.commands } }

    /// Runs the command that the arguments name, with only these outputs, and ends the process.
    public static func main(outputs: [any OutputPlugin]) -> Never {
        main(outputs: outputs, commands: [])
    }

    /// Runs the command that the arguments name, and ends the process.
    ///
    /// This function is synchronous, because Swift opens descriptors of its own before the first line of an
    /// asynchronous `main` runs. The closed standard descriptors must be opened before that.
    ///
    /// - Parameter commands: the commands to add to those that every Martlet has.
    package static func main(outputs: [any OutputPlugin], commands: [any ParsableCommand.Type]) -> Never {
        StandardDescriptors.openClosed()
        Task { await run(outputs: outputs, commands: commands) }
        dispatchMain()
    }

    private static func run(outputs: [any OutputPlugin], commands: [any ParsableCommand.Type]) async -> Never {
        let faults = OutputListCheck(outputs, accountWords: AccountWords.taken).faults
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
                // Of a command that runs already the parser would show the usage of all.
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
            // Help and version are errors, too, which are no failure.
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

    /// Ends the process without the C library's exit handlers: OpenSSL's would free what threads of libpq that
    /// are just ending free as well (OPENSSL_cleanup and OPENSSL_thread_stop do not wait for each other).
    private static func leave(_ code: Int32) -> Never {
        fflush(nil)
        _exit(code)
    }
}
