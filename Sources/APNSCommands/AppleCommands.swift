package import ArgumentParser
import APNSOutput
import MartletConfiguration

/// The commands for Apple's service.
package enum AppleCommands {
    package static let all: [any ParsableCommand.Type] = [ChannelCommand.self, SignCommand.self]
}

extension ConfigurationSource {
    func apns() throws -> APNSConfiguration {
        try withSettings(of: APNSPlugin()) { try APNSConfiguration($0) }
    }
}
