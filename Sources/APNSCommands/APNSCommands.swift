package import ArgumentParser
import APNSOutput
import MartletService

/// The commands that are about Apple's service and nothing else.
package enum APNSCommands {
    package static let all: [any ParsableCommand.Type] = [ChannelCommand.self, SignCommand.self]
    /// Those of `martlet simulate`; the first is what it does without a name.
    package static let simulators: [any ParsableCommand.Type] = [
        SimulateRunCommand.self, SimulateCertificateCommand.self, SimulateTokenCommand.self,
    ]
}

extension ConfigurationSource {
    func apns() throws -> APNSConfiguration {
        try withSettings(of: APNSPlugin()) { try APNSConfiguration($0) }
    }
}
