import NIOPosix
public import PushModel

/// The plugin for Firebase Cloud Messaging, HTTP v1 (Google: REST resource projects.messages).
public struct FCMPlugin: OutputPlugin {
    public let name = "fcm"
    public let title = "FCM"
    public let settings = FCMConfiguration.settings
    public let jobs = JobForm(addresses: [.token, .installation, .topic, .condition], validatesOnly: true)
    public let reasons = FCMAnswer.verdicts
    /// The time for which a message is retried, in seconds. Google: "if you still get errors after 60 minutes, give up"
    /// (Scale FCM).
    public let retriesForSeconds: Int? = 3_600

    public init() {}

    public var credentials: (any OutputCredentials)? { FCMCredentials() }

    public func check(_ settings: OutputSettings) throws { _ = try FCMConfiguration(settings) }

    public func payload(showing text: String) -> [UInt8] {
        var notification = JSONObjectWriter(capacity: 256)
        notification.member("body", string: text)
        var payload = JSONObjectWriter(capacity: 256)
        payload.member("notification", raw: notification.finish())
        return payload.finish()
    }

    public func make(_ context: OutputContext) throws -> any Output {
        var configuration = try FCMConfiguration(context.settings)
        configuration.metrics = context.metrics
        return FCMOutput(
            configuration: configuration, quotas: context.quotas,
            eventLoops: MultiThreadedEventLoopGroup.singleton, logger: context.logger, clock: context.clock,
            refusals: context.refusals)
    }
}
