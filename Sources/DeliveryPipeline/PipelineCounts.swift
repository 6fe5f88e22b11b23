/// What a pipeline has done since it started, and what it holds now.
public struct PipelineCounts: Sendable, Hashable {
    /// Outcomes by kind, as in the events.
    public package(set) var outcomes: [String: Int] = [:]
    public package(set) var jobsAccepted = 0
    public package(set) var jobsRejected = 0
    public package(set) var jobsHeld = 0
    public package(set) var jobsAcknowledged = 0
    public package(set) var retries = 0
    public package(set) var pushesHeld = 0
    public package(set) var tokensMarked = 0
    /// Pushes looked up before sending, because the filter of dead tokens did not clear them; by the answer.
    public package(set) var lookUpsDead = 0
    public package(set) var lookUpsLive = 0
    /// Not answered in time, so sent.
    public package(set) var lookUpsFailed = 0
    /// Dead tokens in the filter, and what it takes.
    public package(set) var suppressionTokens = 0
    public package(set) var suppressionBytes = 0
    /// Deliveries not decoded yet.
    public package(set) var jobsWaiting = 0
    /// Jobs decoded and not acknowledged.
    public package(set) var jobsOpen = 0
    /// Outcomes not yet safe in the broker or the database.
    public package(set) var obligationsOpen = 0
    public package(set) var isConsuming = false
    public package(set) var isPublishing = false

    public init() {}
}
