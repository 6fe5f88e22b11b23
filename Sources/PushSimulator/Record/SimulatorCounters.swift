/// What the simulator has seen since its start or the last reset.
public struct SimulatorCounters: Codable, Sendable, Equatable {
    /// Requests that came in whole.
    public var arrivals = 0
    /// Answers, by status.
    public var byStatus: [Int: Int] = [:]
    /// Answers with a reason, by reason.
    public var byReason: [String: Int] = [:]
    /// Requests left unanswered on purpose.
    public var withheld = 0
    /// Requests refused unprocessed (REFUSED_STREAM); they are not among the arrivals.
    public var refusedStreams = 0
    /// Connections whose TLS handshake succeeded.
    public var connections = 0
    /// Connections open now.
    public var openConnections = 0
    /// Requests begun and not finished now.
    public var openStreams = 0
    /// The most requests open at once on any one connection.
    public var mostOpenStreams = 0
    /// Handshakes that failed, for instance over a certificate.
    public var failedHandshakes = 0
    /// Requests that broke the rules of HTTP; they are not among the arrivals.
    public var malformedRequests = 0
    /// Requests, and connections before their first, that did not come in whole in time.
    public var timeouts = 0
    /// Connections that ended because the client broke the rules of HTTP/2.
    public var brokenConnections = 0
    /// Requests to the control endpoint that were refused.
    public var refusedControlRequests = 0
    /// What only this service counts, by name; nil: nothing yet.
    public var others: [String: Int]?

    enum CodingKeys: String, CodingKey {
        case arrivals, byStatus = "by_status", byReason = "by_reason", withheld, refusedStreams = "refused_streams"
        case connections
        case openConnections = "open_connections", openStreams = "open_streams"
        case mostOpenStreams = "most_open_streams", failedHandshakes = "failed_handshakes"
        case malformedRequests = "malformed_requests", timeouts, brokenConnections = "broken_connections"
        case refusedControlRequests = "refused_control_requests", others
    }

    public init() {}

    mutating func add(_ other: SimulatorCounters) {
        arrivals += other.arrivals
        byStatus.merge(other.byStatus, uniquingKeysWith: +)
        byReason.merge(other.byReason, uniquingKeysWith: +)
        withheld += other.withheld
        refusedStreams += other.refusedStreams
        connections += other.connections
        openConnections += other.openConnections
        openStreams += other.openStreams
        mostOpenStreams = max(mostOpenStreams, other.mostOpenStreams)
        failedHandshakes += other.failedHandshakes
        malformedRequests += other.malformedRequests
        timeouts += other.timeouts
        brokenConnections += other.brokenConnections
        refusedControlRequests += other.refusedControlRequests
        if let others = other.others { self.others = (self.others ?? [:]).merging(others, uniquingKeysWith: +) }
    }
}
