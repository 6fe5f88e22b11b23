extension MetricFamily {
    static let pools = [
        poolConnections, poolConnectionsLimit, poolUnreachable, tokenEndpointUnreachable, accessTokenRequests,
        poolStreams, poolStreamsLimit, poolWaiting, poolWindowBlocked, poolAnswers, poolSlowAnswers, answers, connects,
        goAways, pings,
    ]

    private static let pool = ["output", "credential", "environment", "host"]

    package static let poolConnections = Self(
        "pool_connections", .gauge, "Connections to a provider, by what they are doing.", labels: pool + ["state"])
    package static let poolConnectionsLimit = Self(
        "pool_connections_limit", .gauge, "Connections to a provider that there may be.", labels: pool)
    package static let poolUnreachable = Self(
        "pool_unreachable", .gauge,
        "Pools to a provider that have tried for half a minute or longer to connect, in vain.", labels: pool)
    package static let tokenEndpointUnreachable = Self(
        "token_endpoint_unreachable", .gauge, "Pools that have found no access token for half a minute or longer.",
        labels: Array(pool.prefix(3)))
    package static let accessTokenRequests = Self(
        "access_token_requests_total", .counter, "Requests for an access token: granted, refused, or failed.",
        labels: Array(pool.prefix(3)) + ["result"])
    package static let poolStreams = Self("pool_streams", .gauge, "Requests on the wire.", labels: pool)
    package static let poolStreamsLimit = Self(
        "pool_streams_limit", .gauge, "Requests that may be on the wire at a time, over the connections there are.",
        labels: pool)
    package static let poolWaiting = Self(
        "pool_waiting", .gauge, "Requests that wait for a connection with room.", labels: pool)
    package static let poolWindowBlocked = Self(
        "pool_window_blocked_total", .counter,
        "Times that a connection's window, and not its streams, kept what waits from leaving.", labels: pool)
    package static let poolAnswers = Self(
        "pool_answers_total", .counter, "Answers of a pool's server: accepted, refused, or failed (5xx and 429).",
        labels: pool + ["result"])
    package static let poolSlowAnswers = Self(
        "pool_slow_answers_total", .counter, "Answers of a pool's server that took longer than 2 s.", labels: pool)
    package static let answers = Self(
        "answer_seconds", .histogram(answerBounds), "From a request's writing to its answer.",
        labels: ["output", "environment", "status"], scale: 1000)
    package static let connects = Self(
        "connects_total", .counter, "Connections to servers that were made, or were not.", labels: ["target", "result"])
    package static let goAways = Self(
        "goaways_total", .counter, "Connections whose server wanted them closed, by its error code.",
        labels: ["output", "reason"])
    package static let pings = Self(
        "ping_seconds", .histogram(answerBounds), "From a PING to its acknowledgement.", labels: ["output"],
        scale: 1000)
}
