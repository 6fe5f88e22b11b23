/// The counters of the simulator since its start or the last reset.
public struct SimulatorCounters: Codable, Sendable, Equatable {
    /// Complete requests.
    public var arrivals = 0
    /// Answers, by status.
    public var byStatus: [Int: Int] = [:]
    /// Answers with a reason, by reason.
    public var byReason: [String: Int] = [:]
    /// Requests that were deliberately left unanswered.
    public var withheld = 0
    /// Requests refused unprocessed (REFUSED_STREAM). They do not count as arrivals.
    public var refusedStreams = 0
    /// Connections whose TLS handshake succeeded.
    public var connections = 0
    /// Connections that are open now.
    public var openConnections = 0
    /// Requests that are open now.
    public var openStreams = 0
    /// The highest number of requests open at the same time on one connection.
    public var mostOpenStreams = 0
    /// TLS handshakes that failed, for example because of a certificate.
    public var failedHandshakes = 0
    /// Requests that broke the rules of HTTP. They do not count as arrivals.
    public var malformedRequests = 0
    /// Requests, and connections before their first request, that were not complete in time.
    public var timeouts = 0
    /// Connections that ended because the client broke the rules of HTTP/2.
    public var brokenConnections = 0
    /// Requests to the control endpoint that were refused.
    public var refusedControlRequests = 0
    /// Counters that only this service has, by name, or `nil` if none has been incremented.
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
