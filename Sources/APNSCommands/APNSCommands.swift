package import ArgumentParser
import APNSOutput
import MartletService

/// The commands that are about Apple's service and nothing else.
package enum APNSCommands {
    package static let all: [any ParsableCommand.Type] = [ChannelCommand.self, PushCommand.self, SimulateCommand.self]
}

extension ConfigurationSource {
    func apns() throws -> APNSConfiguration {
        try withSettings(of: APNSPlugin()) { try APNSConfiguration($0) }
    }
}
