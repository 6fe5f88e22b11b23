/// What a pipeline has done since it started, and what it holds now.
public struct PipelineCounts: Sendable, Hashable {
    /// Outcomes by kind, as in the events.
    public internal(set) var outcomes: [String: Int] = [:]
    public internal(set) var jobsAccepted = 0
    public internal(set) var jobsRejected = 0
    public internal(set) var jobsHeld = 0
    public internal(set) var jobsAcknowledged = 0
    public internal(set) var retries = 0
    public internal(set) var tokensMarked = 0
    /// Deliveries not decoded yet.
    public internal(set) var jobsWaiting = 0
    /// Jobs decoded and not acknowledged.
    public internal(set) var jobsOpen = 0
    /// Outcomes not yet safe in the broker or the database.
    public internal(set) var obligationsOpen = 0
    public internal(set) var isConsuming = false
    public internal(set) var isPublishing = false

    public init() {}
}
