public import Logging
package import Metering

/// What an output is given to work with.
public struct OutputContext: Sendable {
    public let settings: OutputSettings
    /// Where tokens come from that all workers share.
    public let tokens: any SharedTokenStore
    /// Among whom a provider's quotas are divided.
    public let quotas: any QuotaShares
    /// Wall-clock time, for deadlines and outcomes.
    public let clock: @Sendable () -> Timestamp
    /// To be told when the provider begins or ceases to refuse a credential; returns soon.
    public let refusals: @Sendable (Refusal.Event) -> Void
    public let logger: Logger
    /// Where it counts.
    package var metrics = MetricRegistry()

    public init(
        settings: OutputSettings, tokens: any SharedTokenStore, quotas: any QuotaShares = UndividedQuotas(),
        clock: @escaping @Sendable () -> Timestamp,
        refusals: @escaping @Sendable (Refusal.Event) -> Void = { _ in }, logger: Logger
    ) {
        self.settings = settings
        self.tokens = tokens
        self.quotas = quotas
        self.clock = clock
        self.refusals = refusals
        self.logger = logger
    }
}
