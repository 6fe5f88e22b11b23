import NIOPosix
public import PushModel

/// The plugin for the push services of browsers.
public struct WebPushPlugin: OutputPlugin {
    public let name = "webpush"
    public let title = "Web Push"
    public let settings = WebPushConfiguration.settings
    public let jobs = JobForm(addresses: [.subscription], takesText: true)
    public let reasons = WebPushReasons.verdicts

    public init() {}

    public var credentials: (any OutputCredentials)? { WebPushCredentials() }

    public func check(_ settings: OutputSettings) throws { _ = try WebPushConfiguration(settings) }

    public func payload(showing text: String) -> [UInt8] {
        var payload: [UInt8] = []
        JSONText.append(text, to: &payload)
        return payload
    }

    public func make(_ context: OutputContext) throws -> any Output {
        var configuration = try WebPushConfiguration(context.settings)
        configuration.metrics = context.metrics
        return WebPushOutput(
            configuration: configuration,
            eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: context.logger, clock: context.clock, refusals: context.refusals)
    }
}
