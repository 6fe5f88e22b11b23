import NIOPosix
package import PushModel

/// The plugin for Apple's push notification service.
package struct APNSPlugin: OutputPlugin {
    package let name = Job.defaultOutput
    package let title = "APNs"
    package let settings = APNSConfiguration.settings
    /// The form of a recipient's address: a device token in hex, or the id of a channel.
    package let recipients = RecipientForm.hex(maximumDigits: 512)
    package let jobs = JobForm(addresses: [.token, .channel])
    package let eventFields = EventFields(id: "apns_id", uniqueID: "apns_unique_id")
    package let reasons = APNSReason.verdicts.merging([APNSPushes.noProviderToken: .retry]) { known, _ in known }
    package let hasOneWorld = false
    package let hasFixedHosts = true

    package init() {}

    package var credentials: (any OutputCredentials)? { APNSCredentials() }

    package func check(_ settings: OutputSettings) throws { _ = try APNSConfiguration(settings) }

    package func payload(showing text: String) -> [UInt8] {
        var aps = JSONObjectWriter(capacity: 256)
        aps.member("alert", string: text)
        var payload = JSONObjectWriter(capacity: 256)
        payload.member("aps", raw: aps.finish())
        return payload.finish()
    }

    package func make(_ context: OutputContext) throws -> any Output {
        var configuration = try APNSConfiguration(context.settings)
        configuration.metrics = context.metrics
        return APNSSender(
            configuration: configuration, tokens: context.tokens,
            eventLoops: MultiThreadedEventLoopGroup.singleton, logger: context.logger, clock: context.clock,
            refusals: context.refusals)
    }
}
