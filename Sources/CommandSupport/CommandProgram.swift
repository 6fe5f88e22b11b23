package import ArgumentParser
import Dispatch
import Glibc

/// A program that runs the command named by its arguments and ends with an exit code.
package enum CommandProgram {
    /// Runs `body`, which must end the process.
    ///
    /// This function is synchronous, because Swift opens file descriptors of its own before the first line of an
    /// asynchronous `main` runs. Closed standard descriptors must be opened before that.
    package static func main(_ body: @escaping @Sendable () async -> Never) -> Never {
        StandardDescriptors.openClosed()
        Task { await body() }
        dispatchMain()
    }

    /// Runs the command below `root` that the arguments name, and ends the process. Exit codes: 0 for success and help,
    /// 1 for a failure, 64 for wrong usage, and the code of an ``ExitCodeError``.
    package static func run(_ root: any AsyncParsableCommand.Type) async -> Never {
        do {
            let command = try root.parseAsRoot()
            do {
                try await run(command)
            } catch let error as ValidationError {
                // The command is already running, so the parser would print the usage of the root command.
                printError("Error: \(error.message)\nUsage: \(root.usageString(for: type(of: command)))")
                leave(root.exitCode(for: error).rawValue)
            }
            leave(0)
        } catch let error as any ExitCodeError {
            printError("\(root.configuration.commandName ?? "martlet"): \(error)")
            leave(error.exitCode)
        } catch {
            let code = root.exitCode(for: error)
            let message = root.fullMessage(for: error)
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
    package static func leave(_ code: Int32) -> Never {
        fflush(nil)
        _exit(code)
    }
}
