extension MetricFamily {
    /// The metric families of a worker, in the order in which the metrics page lists them.
    package static let all = process + jobs + pushes + tokens + pools + credentials + links

    /// The bucket bounds for the age of jobs and the time to an outcome, in seconds. An alert rule depends on the bound
    /// of 2 seconds. The largest bound is the longest default delay of a delay queue.
    static let jobBounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600, 21_600]

    /// The bucket bounds for the answer times of providers, the database and the broker, in seconds.
    static let answerBounds = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2, 5, 10, 30, 60,
    ]
}
