/// The judge of the workers' reactions to a service's answers: marks for dead recipients, and delays before retries.
enum ServiceJudge {
    static func findings(
        _ history: History, isMarked: Bool, _ disturbances: Disturbances, _ limits: Limits
    ) -> [Finding] {
        var findings: [Finding] = []
        if let text = wrongMark(history, isMarked) { findings.append(Finding(.deadAreMarked, history.recipient, text)) }
        if let text = haste(history, disturbances, limits) {
            findings.append(Finding(.retriedInTime, history.recipient, text))
        }
        return findings
    }

    private static func wrongMark(_ history: History, _ isMarked: Bool) -> String? {
        let isReported = history.outcomes.contains { $0.kind == "unregistered" }
        return switch (isMarked, history.kind) {
        case (false, _): isReported ? "unregistered, but not marked" : nil
        case (true, .dead): history.isSaidToBeDead ? nil : "marked dead, but its service did not report it as dead"
        case (true, let kind): "marked dead, but it is \(kind.rawValue)"
        }
    }

    /// Returns the problem if a push was retried too early, or `nil`. A worker that takes over a redelivered job does
    /// not know the earlier answers, so its retries are not judged.
    private static func haste(_ history: History, _ disturbances: Disturbances, _ limits: Limits) -> String? {
        guard let least = history.job.output.leastRetryDelay, limits.longestDelay >= least,
            let shortest = history.shortestRetry, shortest < least, !history.mayRunTwice,
            !disturbances.mayRedeliver(from: history.job.published, to: history.end)
        else { return nil }
        return "sent again after \(shortest) ms"
    }
}
