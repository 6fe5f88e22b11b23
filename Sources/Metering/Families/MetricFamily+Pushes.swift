extension MetricFamily {
    static let pushes = [
        outcomes, outcomeTimes, pushesByApp, pushesByOutput, reasons, attempts, retries, deferred,
    ]
    static let tokens = [tokensMarked, lookUps, suppressionTokens, suppressionBytes, badTokens]

    package static let outcomes = Self(
        "outcomes_total", .counter, "Outcomes by kind.", labels: ["kind"])
    package static let outcomeTimes = Self(
        "outcome_seconds", .histogram(jobBounds),
        "Time from a job's publication, or else its first receipt, to the broker's confirm of an outcome, in seconds.",
        labels: ["lane", "attempt"], scale: 1000)
    package static let pushesByApp = Self(
        "pushes_total", .counter, "Outcomes by app and kind.", labels: ["app", "kind"])
    package static let pushesByOutput = Self(
        "output_pushes_total", .counter, "Pushes by output and result: sent, retried or refused.",
        labels: ["output", "result"])
    package static let reasons = Self(
        "reasons_total", .counter, "Pushes that were not accepted, by output, reason and source of the reason.",
        labels: ["output", "by", "reason"])
    package static let attempts = Self(
        "attempts_total", .counter, "Pushes handed to outputs, by result.", labels: ["result"])
    package static let retries = Self(
        "retries_total", .counter, "Pushes delayed for another attempt, by delay in seconds.",
        labels: ["delay"])
    package static let deferred = Self(
        "deferred_total", .counter, "Pushes delayed for another attempt or because of a refused credential.",
        labels: ["lane"])
    package static let tokensMarked = Self("tokens_marked_total", .counter, "Device tokens marked dead.")
    package static let lookUps = Self(
        "suppression_lookups_total", .counter, "Token lookups before sending, by answer.",
        labels: ["answer"])
    package static let suppressionTokens = Self("suppression_tokens", .gauge, "Dead tokens in memory.")
    package static let suppressionBytes = Self("suppression_bytes", .gauge, "Memory size of the dead tokens, in bytes.")
    package static let badTokens = Self(
        "bad_tokens_total", .counter, "Device tokens that a provider reported as bad, by reason.",
        labels: ["app", "environment", "reason"])
}
