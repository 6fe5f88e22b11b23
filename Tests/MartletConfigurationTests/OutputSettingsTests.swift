import ConfigurationTestSupport
import MartletConfiguration
import Observability
import PushModel
import TestSupport
import Testing

@Suite struct OutputSettingsTests {
    private struct Pigeon: OutputPlugin {
        let name = "pigeon"
        let settings = [
            OutputSetting("loft", .endpoint, isSecret: true, help: "where they live"),
            OutputSetting("flock", .integer(1...9), isSecret: true, help: "how many"),
            OutputSetting("colour", .choice(["white", "grey"]), isSecret: true, help: "which"),
            OutputSetting("height", .integer(1...9), help: "how high"),
            OutputSetting("song", .integer(1...9), help: "not set"),
        ]

        func make(_ context: OutputContext) -> any Output { DiscardOutput(now: context.clock) }
    }

    /// The value is checked even if the plugin never reads it.
    @Test(arguments: [
        ("loft", "fred:s3cret@loft", "must be host:port, or [address]:port for IPv6"),
        ("flock", "s3cret", "must be a whole number from 1 to 9"), ("colour", "s3cret", "must be white or grey"),
        ("height", "10", "is 10, but must be a whole number from 1 to 9"),
    ])
    func rejectsInvalidValueWithoutShowingSecret(key: String, value: String, problem: String) async throws {
        let variable = "MARTLET_PIGEON_\(key.uppercased())"
        let source = try await ConfigurationSource(
            file: nil, settings: [], environment: [variable: value], outputs: [Pigeon()])
        #expect(
            await failure { try source.check() }
                == "configuration key pigeon.\(key) (\(variable)): \(problem)")
    }

    @Test func acceptsUnsetSettings() async throws {
        let source = try await ConfigurationSource(file: nil, settings: [], environment: [:], outputs: [Pigeon()])
        try source.check()
    }
}
