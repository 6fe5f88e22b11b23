import NIOPosix
package import PushModel

/// The plugin for webhooks. Its output sends batches of recipients over HTTP to a service that the operator provides.
/// This service may deliver by any means, such as SMS.
package struct WebhookPlugin: OutputPlugin {
    package let name = "webhook"
    package let settings = WebhookConfiguration.settings
    package let jobs = JobForm(addresses: [.token], takesText: true)
    package let eventFields = EventFields(id: "receiver_id")
    package let sendsToReceivers = true
    package let reasons = WebhookReason.verdicts

    package init() {}

    package var credentials: (any OutputCredentials)? { WebhookCredentials(output: name) }

    package func check(_ settings: OutputSettings) throws { _ = try WebhookConfiguration(settings) }

    package func make(_ context: OutputContext) throws -> any Output {
        var configuration = try WebhookConfiguration(context.settings)
        configuration.metrics = context.metrics
        return WebhookSender(
            name: name, configuration: configuration,
            eventLoops: MultiThreadedEventLoopGroup.singleton, context: context)
    }
}
