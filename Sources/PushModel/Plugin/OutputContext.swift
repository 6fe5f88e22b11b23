public import Logging
package import Metering

/// The settings and services that an output receives when it is made.
public struct OutputContext: Sendable {
    public let settings: OutputSettings
    /// The store of signed tokens, which all workers share.
    public let tokens: any SharedTokenStore
    /// The source of the number of workers that share each of the provider's quotas.
    public let quotas: any QuotaShares
    /// The wall clock, for deadlines and outcomes.
    public let clock: @Sendable () -> Timestamp
    /// A closure that the output calls when the provider begins or stops refusing a credential, or rejects device
    /// tokens. The call returns quickly.
    public let refusals: @Sendable (Refusal.Event) -> Void
    public let logger: Logger
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
