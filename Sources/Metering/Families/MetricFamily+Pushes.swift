extension MetricFamily {
    static let pushes = [
        outcomes, outcomeTimes, pushesByApp, pushesByOutput, reasons, attempts, retries, deferred,
    ]
    static let tokens = [tokensMarked, lookUps, suppressionTokens, suppressionBytes, badTokens]

    package static let outcomes = Self(
        "outcomes_total", .counter, "Outcomes by kind, as in the events.", labels: ["kind"])
    package static let outcomeTimes = Self(
        "outcome_seconds", .histogram(jobBounds),
        "From a job's publication, or its first receipt, to an outcome's confirmation by the broker.",
        labels: ["lane", "attempt"], scale: 1000)
    package static let pushesByApp = Self(
        "pushes_total", .counter, "Outcomes by app and kind.", labels: ["app", "kind"])
    package static let pushesByOutput = Self(
        "output_pushes_total", .counter, "Pushes by output and result: sent, retried, or refused.",
        labels: ["output", "result"])
    package static let reasons = Self(
        "reasons_total", .counter, "Why pushes were not accepted, and who said so.",
        labels: ["output", "by", "reason"])
    package static let attempts = Self(
        "attempts_total", .counter, "What came of handing a push to an output.", labels: ["result"])
    package static let retries = Self(
        "retries_total", .counter, "Pushes delayed for another attempt, by the delay in seconds.",
        labels: ["delay"])
    package static let deferred = Self(
        "deferred_total", .counter, "Pushes delayed for another attempt or because their credential is refused.",
        labels: ["lane"])
    package static let tokensMarked = Self("tokens_marked_total", .counter, "Device tokens marked dead.")
    package static let lookUps = Self(
        "suppression_lookups_total", .counter, "Pushes whose token was looked up before sending, by the answer.",
        labels: ["answer"])
    package static let suppressionTokens = Self("suppression_tokens", .gauge, "Dead tokens known in memory.")
    package static let suppressionBytes = Self("suppression_bytes", .gauge, "Memory they take.")
    package static let badTokens = Self(
        "bad_tokens_total", .counter, "Device tokens that a provider called bad, by its reason.",
        labels: ["app", "environment", "reason"])
}
