import NIOPosix
package import PushModel

/// The plugin for Firebase Cloud Messaging, HTTP v1 (Google: REST resource projects.messages).
package struct FCMPlugin: OutputPlugin {
    package let name = "fcm"
    package let title = "FCM"
    package let settings = FCMConfiguration.settings
    package let jobs = JobForm(addresses: [.token, .installation, .topic, .condition], validatesOnly: true)
    package let reasons = FCMAnswer.verdicts
    /// The time for which a message is retried, in seconds. Google asks senders to give up if errors persist after 60
    /// minutes (Scale FCM).
    package let retriesForSeconds: Int? = 3_600
    package let hasFixedHosts = true

    package init() {}

    package var credentials: (any OutputCredentials)? { FCMCredentials() }

    package func check(_ settings: OutputSettings) throws { _ = try FCMConfiguration(settings) }

    package func payload(showing text: String) -> [UInt8] {
        var notification = JSONObjectWriter(capacity: 256)
        notification.member("body", string: text)
        var payload = JSONObjectWriter(capacity: 256)
        payload.member("notification", raw: notification.finish())
        return payload.finish()
    }

    package func make(_ context: OutputContext) throws -> any Output {
        var configuration = try FCMConfiguration(context.settings)
        configuration.metrics = context.metrics
        return FCMSender(
            configuration: configuration, quotas: context.quotas,
            eventLoops: MultiThreadedEventLoopGroup.singleton, logger: context.logger, clock: context.clock,
            refusals: context.refusals)
    }
}
