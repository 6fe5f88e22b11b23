public import PushModel

/// How much the pipeline holds, and for how long.
public struct PipelineConfiguration: Sendable {
    public var names: PipelineNames
    /// Name of this worker in events.
    public var worker: String
    /// Jobs the broker hands out per lane ahead of their acknowledgement: the only buffer there is.
    public var prefetch: [Lane: Int]
    /// Recipients decoded and not yet settled. Jobs beyond wait undecoded.
    public var maximumInFlight: Int
    public var maximumOutcomesPerEvent: Int
    /// How long an outcome waits for others to share its event.
    public var maximumWaitMilliseconds: Int
    public var retry: RetryPolicy
    /// The broker's user this worker publishes as, which the broker validates. Jobs that come back from a
    /// delay queue under it keep their publisher in a header.
    public var brokerUser: String?

    public init(
        names: PipelineNames = PipelineNames(), worker: String,
        prefetch: [Lane: Int] = [.urgent: 200, .normal: 500, .bulk: 100], maximumInFlight: Int = 20_000,
        maximumOutcomesPerEvent: Int = 500, maximumWaitMilliseconds: Int = 10, retry: RetryPolicy = RetryPolicy()
    ) {
        self.names = names
        self.worker = worker
        self.prefetch = prefetch
        self.maximumInFlight = maximumInFlight
        self.maximumOutcomesPerEvent = maximumOutcomesPerEvent
        self.maximumWaitMilliseconds = maximumWaitMilliseconds
        self.retry = retry
    }
}
