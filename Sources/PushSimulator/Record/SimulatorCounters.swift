/// The simulator's counters since it was created or last reset.
public struct SimulatorCounters: Codable, Sendable, Equatable {
    /// The number of complete requests.
    public var arrivals = 0
    /// The number of answers for each status.
    public var byStatus: [Int: Int] = [:]
    /// The number of answers with a reason, for each reason.
    public var byReason: [String: Int] = [:]
    /// The number of requests that were deliberately left unanswered.
    public var withheld = 0
    /// The number of requests that were refused unprocessed (REFUSED_STREAM). They do not count as arrivals.
    public var refusedStreams = 0
    /// The number of connections whose TLS handshake succeeded.
    public var connections = 0
    /// The number of connections that are open now.
    public var openConnections = 0
    /// The number of requests that are open now.
    public var openStreams = 0
    /// The highest number of requests that were open on one connection at the same time.
    public var mostOpenStreams = 0
    /// The number of TLS handshakes that failed, for example because of a certificate.
    public var failedHandshakes = 0
    /// The number of requests that violated HTTP. They do not count as arrivals.
    public var malformedRequests = 0
    /// The number of requests that were incomplete at the time limit, and of connections that did not acknowledge
    /// SETTINGS in time or, with HTTP/1.1, sent no request in time.
    public var timeouts = 0
    /// The number of connections that ended because the client violated HTTP/2.
    public var brokenConnections = 0
    /// The number of refused requests to the control endpoint.
    public var refusedControlRequests = 0
    /// The counters that only this service has, by name, or `nil` if all of them are zero.
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
