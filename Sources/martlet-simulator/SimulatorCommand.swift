import ArgumentParser
import Foundations

/// The root command, which runs the APNs simulator unless a subcommand is given.
struct SimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-simulator",
        abstract: "Runs a simulator of APNs, FCM or the browsers' push services on this machine.",
        version: Build.text,
        subcommands: [
            RunCommand.self, CertificateCommand.self, TokenCommand.self, FCMCommand.self, WebPushCommand.self,
        ],
        defaultSubcommand: RunCommand.self)
}
