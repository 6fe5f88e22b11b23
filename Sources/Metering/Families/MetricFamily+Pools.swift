extension MetricFamily {
    static let pools = [
        poolConnections, poolConnectionsLimit, poolUnreachable, tokenEndpointUnreachable, accessTokenRequests,
        poolStreams, poolStreamsLimit, poolWaiting, poolWindowBlocked, poolAnswers, poolSlowAnswers, answers, connects,
        goAways, pings,
    ]

    private static let pool = ["output", "credential", "environment", "host"]

    package static let poolConnections = Self(
        "pool_connections", .gauge, "Connections to a provider by state.", labels: pool + ["state"])
    package static let poolConnectionsLimit = Self(
        "pool_connections_limit", .gauge, "Maximum number of connections to a provider.", labels: pool)
    package static let poolUnreachable = Self(
        "pool_unreachable", .gauge,
        "Pools that have failed to connect for at least 30 seconds.", labels: pool)
    package static let tokenEndpointUnreachable = Self(
        "token_endpoint_unreachable", .gauge, "Pools without an access token for at least 30 seconds.",
        labels: Array(pool.prefix(3)))
    package static let accessTokenRequests = Self(
        "access_token_requests_total", .counter, "Requests for an access token by result: granted, refused or failed.",
        labels: Array(pool.prefix(3)) + ["result"])
    package static let poolStreams = Self("pool_streams", .gauge, "Requests on the wire of a pool.", labels: pool)
    package static let poolStreamsLimit = Self(
        "pool_streams_limit", .gauge, "Maximum number of requests on the wire over the open connections.",
        labels: pool)
    package static let poolWaiting = Self(
        "pool_waiting", .gauge, "Requests that wait for a connection with room.", labels: pool)
    package static let poolWindowBlocked = Self(
        "pool_window_blocked_total", .counter,
        "Number of times that the flow-control window, and not the stream limit, delayed requests.", labels: pool)
    package static let poolAnswers = Self(
        "pool_answers_total", .counter,
        "Answers to a pool by result: accepted (2xx), refused, or failed (5xx and 429).", labels: pool + ["result"])
    package static let poolSlowAnswers = Self(
        "pool_slow_answers_total", .counter, "Answers to a pool that took longer than 2 seconds.", labels: pool)
    package static let answers = Self(
        "answer_seconds", .histogram(answerBounds), "Time from writing a request to its answer, in seconds.",
        labels: ["output", "environment", "status"], scale: 1000)
    package static let connects = Self(
        "connects_total", .counter, "Connections to servers: ok, failed or lost.", labels: ["target", "result"])
    package static let goAways = Self(
        "goaways_total", .counter, "Connections that a server closed with GOAWAY, by error code.",
        labels: ["output", "reason"])
    package static let pings = Self(
        "ping_seconds", .histogram(answerBounds), "Time from a PING to its acknowledgement, in seconds.",
        labels: ["output"], scale: 1000)
}
