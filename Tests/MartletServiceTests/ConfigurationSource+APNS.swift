import APNSOutput
import MartletConfiguration
import MartletOutputs

/// Configuration sources with the settings of all outputs.
extension ConfigurationSource {
    init(file: String?, settings: [String], environment: [String: String]) async throws {
        try await self.init(file: file, settings: settings, environment: environment, outputs: Martlet.outputs)
    }

    func apns() throws -> APNSConfiguration {
        try withSettings(of: APNSPlugin()) { try APNSConfiguration($0) }
    }
}

extension ConfigurationKey {
    static let allCases = ConfigurationKeys(outputs: Martlet.outputs).all

    init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }
}
