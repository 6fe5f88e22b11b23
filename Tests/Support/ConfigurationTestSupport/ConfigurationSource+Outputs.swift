package import APNSOutput
package import MartletConfiguration
import MartletOutputs

/// Configuration sources with the settings of all outputs.
extension ConfigurationSource {
    package init(file: String?, settings: [String], environment: [String: String]) async throws {
        try await self.init(file: file, settings: settings, environment: environment, outputs: Martlet.outputs)
    }

    package func apns() throws -> APNSConfiguration {
        try withSettings(of: APNSPlugin()) { try APNSConfiguration($0) }
    }
}

extension ConfigurationKeys {
    package static let withOutputs = ConfigurationKeys(outputs: Martlet.outputs)
}

extension ConfigurationKey {
    package static let allCases = ConfigurationKeys.withOutputs.all

    package init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }
}
