import Foundation
public import PushModel
import PushSending

/// The plugin of an output that publishes messages to topics of ntfy, a push service that anyone can host.
public struct NtfyPlugin: OutputPlugin {
    public let name = "ntfy"
    public let settings =
        [OutputSetting("endpoint", .endpoint, default: "ntfy.sh:443", help: "host:port of the ntfy server")]
        + ProviderSender.settings
    public let credentials: (any OutputCredentials)? = NtfyCredentials()

    public init() {}

    public func payload(showing text: String) -> [UInt8] {
        (try? JSONEncoder().encode(["message": text])).map { [UInt8]($0) } ?? []
    }

    public func check(_ settings: OutputSettings) throws { try ProviderSender.check(settings) }

    public func make(_ context: OutputContext) throws -> any Output {
        try ProviderSender(NtfyProvider(endpoint: context.settings.endpoint("endpoint")), name: name, context)
    }
}
