package import ArgumentParser
import APNSOutput
import MartletService

/// The commands for Apple's service.
package enum APNSCommands {
    package static let all: [any ParsableCommand.Type] = [ChannelCommand.self, SignCommand.self]
    /// The subcommands of `martlet simulate`. The first one is the default.
    package static let simulators: [any ParsableCommand.Type] = [
        SimulateRunCommand.self, SimulateCertificateCommand.self, SimulateTokenCommand.self,
    ]
}

extension ConfigurationSource {
    func apns() throws -> APNSConfiguration {
        try withSettings(of: APNSPlugin()) { try APNSConfiguration($0) }
    }
}
