import NIOPosix
public import PushModel

/// The plugin for Apple's push notification service.
public struct APNSPlugin: OutputPlugin {
    public let name = Job.defaultOutput
    public let title = "APNs"
    public let settings = APNSConfiguration.settings
    /// The form of a recipient's address: a device token in hex, or the id of a channel.
    public let recipients = RecipientForm.hex(maximumDigits: 512)
    public let jobs = JobForm(addresses: [.token, .channel])
    public let eventFields = EventFields(id: "apns_id", uniqueID: "apns_unique_id")
    public let reasons = APNSReason.verdicts.merging([APNSPushes.noProviderToken: .retry]) { known, _ in known }
    public let hasOneWorld = false

    public init() {}

    public var credentials: (any OutputCredentials)? { APNSCredentials() }

    public func check(_ settings: OutputSettings) throws { _ = try APNSConfiguration(settings) }

    public func payload(showing text: String) -> [UInt8] {
        var aps = JSONObjectWriter(capacity: 256)
        aps.member("alert", string: text)
        var payload = JSONObjectWriter(capacity: 256)
        payload.member("aps", raw: aps.finish())
        return payload.finish()
    }

    public func make(_ context: OutputContext) throws -> any Output {
        var configuration = try APNSConfiguration(context.settings)
        configuration.metrics = context.metrics
        return APNSOutput(
            configuration: configuration, tokens: context.tokens,
            eventLoops: MultiThreadedEventLoopGroup.singleton, logger: context.logger, clock: context.clock,
            refusals: context.refusals)
    }
}
