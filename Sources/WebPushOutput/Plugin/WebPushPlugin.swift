import NIOPosix
package import PushModel

/// The plugin for the push services of browsers.
package struct WebPushPlugin: OutputPlugin {
    package let name = "webpush"
    package let title = "Web Push"
    package let settings = WebPushConfiguration.settings
    package let jobs = JobForm(addresses: [.subscription], takesText: true)
    package let reasons = WebPushReasons.verdicts

    package init() {}

    package var credentials: (any OutputCredentials)? { WebPushCredentials() }

    package func check(_ settings: OutputSettings) throws { _ = try WebPushConfiguration(settings) }

    package func payload(showing text: String) -> [UInt8] {
        var payload: [UInt8] = []
        JSONText.append(text, to: &payload)
        return payload
    }

    package func make(_ context: OutputContext) throws -> any Output {
        var configuration = try WebPushConfiguration(context.settings)
        configuration.metrics = context.metrics
        return WebPushSender(
            configuration: configuration,
            eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: context.logger, clock: context.clock, refusals: context.refusals)
    }
}
