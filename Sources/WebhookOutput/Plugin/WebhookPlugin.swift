import NIOPosix
public import PushModel

/// The plugin for webhooks. It sends batches of recipients over HTTP to a service that the operator provides, which may
/// use any channel.
public struct WebhookPlugin: OutputPlugin {
    public let name = "webhook"
    public let settings = WebhookConfiguration.settings
    public let jobs = JobForm(addresses: [.token], takesText: true)
    public let eventFields = EventFields(id: "receiver_id")
    public let sendsToReceivers = true
    public let reasons = WebhookReason.verdicts

    public init() {}

    public var credentials: (any OutputCredentials)? { WebhookCredentials(output: name) }

    public func check(_ settings: OutputSettings) throws { _ = try WebhookConfiguration(settings) }

    public func make(_ context: OutputContext) throws -> any Output {
        var configuration = try WebhookConfiguration(context.settings)
        configuration.metrics = context.metrics
        return WebhookOutput(
            name: name, configuration: configuration,
            eventLoops: MultiThreadedEventLoopGroup.singleton, context: context)
    }
}
