import APNSCommands
import ArgumentParser
import FCMCommands
import WebPushCommands

/// The command `martlet simulate` with the outputs' simulators.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Run a simulator of a push service on this machine.",
        subcommands: APNSCommands.simulators + FCMCommands.simulators + WebPushCommands.simulators,
        defaultSubcommand: APNSCommands.simulators.first)
}
