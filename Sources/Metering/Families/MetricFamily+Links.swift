extension MetricFamily {
    static let links = [
        brokerConnected, brokerBlocked, unconfirmed, prefetchUsed, bytesHeld, settleTimes, databaseUp, queries,
        snapshotTime, clockAhead, marksPending,
    ]

    package static let brokerConnected = Self(
        "broker_connected", .gauge, "1 while a connection to the broker is open.", labels: ["role"])
    package static let brokerBlocked = Self(
        "broker_blocked", .gauge, "1 while the broker takes no publications.")
    package static let unconfirmed = Self(
        "unconfirmed", .gauge, "Messages published that the broker has not confirmed.")
    package static let prefetchUsed = Self(
        "prefetch_used_ratio", .gauge, "How much of what the broker hands out ahead is in hand.", labels: ["lane"],
        scale: 1000)
    package static let bytesHeld = Self(
        "bytes_held", .gauge, "Bytes of jobs in hand, by the connection that they came over.", labels: ["connection"])
    package static let settleTimes = Self(
        "settle_seconds", .histogram(answerBounds),
        "From a message's publication to its confirm, and from a statement's begin to its commit.",
        labels: ["sink"], scale: 1000)
    package static let databaseUp = Self("database_up", .gauge, "1 while the database answers.")
    package static let queries = Self(
        "database_query_seconds", .histogram(answerBounds), "From a statement's sending to its answer.", scale: 1000)
    package static let snapshotTime = Self(
        "snapshot_timestamp_seconds", .gauge, "When apps and credentials were last looked at with success.",
        scale: 1000)
    package static let clockAhead = Self(
        "clock_ahead_seconds", .gauge, "How far this machine's clock is ahead of the database's; negative: behind.",
        scale: 1000)
    package static let marksPending = Self(
        "marks_pending", .gauge, "Dead tokens that wait to be marked.")
}
