package import ArgumentParser
import CommandSupport
import MartletConfiguration
public import PushModel
import Foundations

/// The command `martlet`, which is assembled from outputs.
public enum Martlet {
    struct Parts: Sendable {
        var outputs: [any OutputPlugin] = []
        var commands: [any ParsableCommand.Type] = []
    }

    /// The outputs of the program, and its commands besides the standard ones. They are set once, before arguments are
    /// parsed, because the parser creates the commands itself and can't pass the outputs to them.
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
    /// - Parameter commands: the commands to add to the standard commands.
    package static func main(outputs: [any OutputPlugin], commands: [any ParsableCommand.Type]) -> Never {
        CommandProgram.main { await run(outputs: outputs, commands: commands) }
    }

    private static func run(outputs: [any OutputPlugin], commands: [any ParsableCommand.Type]) async -> Never {
        let faults = OutputListCheck(outputs, accountWords: AccountTerms.taken).faults
        if !faults.isEmpty {
            for fault in faults { printError("martlet: \(fault)") }
            CommandProgram.leave(78)
        }
        parts.withLock { $0 = Parts(outputs: outputs, commands: commands) }
        await CommandProgram.run(RootCommand.self)
    }
}
