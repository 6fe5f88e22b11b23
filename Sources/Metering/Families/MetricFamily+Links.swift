extension MetricFamily {
    static let links = [
        brokerConnected, brokerBlocked, unconfirmed, prefetchUsed, bytesHeld, settleTimes, databaseUp, queries,
        snapshotTime, clockAhead, marksPending,
    ]

    package static let brokerConnected = Self(
        "broker_connected", .gauge, "1 while a connection to the broker is open.", labels: ["role"])
    package static let brokerBlocked = Self(
        "broker_blocked", .gauge, "1 while the broker blocks publishers.")
    package static let unconfirmed = Self(
        "unconfirmed", .gauge, "Published messages that the broker has not confirmed.")
    package static let prefetchUsed = Self(
        "prefetch_used_ratio", .gauge, "Used share of the prefetch limit, from 0 to 1.", labels: ["lane"],
        scale: 1000)
    package static let bytesHeld = Self(
        "bytes_held", .gauge, "Size of the jobs in memory by connection, in bytes.", labels: ["connection"])
    package static let settleTimes = Self(
        "settle_seconds", .histogram(answerBounds),
        "Time from publishing a message to its confirm, or from starting a statement to its commit, in seconds.",
        labels: ["sink"], scale: 1000)
    package static let databaseUp = Self("database_up", .gauge, "1 while the database answers.")
    package static let queries = Self(
        "database_query_seconds", .histogram(answerBounds), "Answer time of statements, in seconds.", scale: 1000)
    package static let snapshotTime = Self(
        "snapshot_timestamp_seconds", .gauge, "Last successful read of apps and credentials, in Unix seconds.",
        scale: 1000)
    package static let clockAhead = Self(
        "clock_ahead_seconds", .gauge, "Time by which this machine's clock is ahead of the database's, in seconds.",
        scale: 1000)
    package static let marksPending = Self(
        "marks_pending", .gauge, "Dead tokens that are not marked yet.")
}
