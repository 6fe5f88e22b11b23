package import Contract
package import DeliveryPipeline

/// A window of one minute over the pipeline's counters, which are read every two seconds. A value type without clock or
/// I/O.
package struct Pulse: Sendable {
    /// The counts of a period.
    package struct Recent: Sendable, Hashable {
        /// The counts by the name that they have in a worker's report. Outcomes are counted by kind. All other counts
        /// are of jobs and pushes.
        package var counts: [String: Int] = [:]
        /// The number of messages that the broker refused, by exchange.
        package var refused: [String: Int] = [:]
        /// The number of sampled result events that reached a queue, and the number that reached none.
        package var resultsRouting = ResultsRouting.Counts()
        package var seconds = 0.0

        package init(counts: [String: Int] = [:], refused: [String: Int] = [:], seconds: Double = 0) {
            self.counts = counts
            self.refused = refused
            self.seconds = seconds
        }

        package var outcomes: Int { OutcomeKind.allCases.reduce(0) { $0 + self[$1.rawValue] } }

        package subscript(_ name: String) -> Int { counts[name] ?? 0 }
    }

    package static let interval = Duration.seconds(2)
    private static let length = Duration.seconds(60)
    private static let rateLength = Duration.seconds(10)

    private var beats: [(at: ContinuousClock.Instant, counts: PipelineCounts)] = []

    package init() {}

    package mutating func beat(_ counts: PipelineCounts, at now: ContinuousClock.Instant) {
        beats.append((now, counts))
        // The window starts at the latest reading that is at least one minute old.
        if let first = beats.lastIndex(where: { now - $0.at >= Self.length }) { beats.removeFirst(first) }
    }

    /// The counts of the last minute. They begin with the first reading if it is less than a minute old.
    package var minute: Recent { since(Self.length) }

    /// The number of outcomes per second during the last ten seconds.
    package var rate: Double {
        let recent = since(Self.rateLength)
        return recent.seconds > 0 ? Double(recent.outcomes) / recent.seconds : 0
    }

    private func since(_ length: Duration) -> Recent {
        guard let last = beats.last, let first = beats.last(where: { last.at - $0.at >= length }) ?? beats.first else {
            return Recent()
        }
        let (old, new) = (first.counts, last.counts)
        var counts = new.outcomes
        for (kind, count) in old.outcomes { counts[kind, default: 0] -= count }
        counts["retried"] = new.retries - old.retries
        counts["held"] = new.pushesHeld - old.pushesHeld
        counts["jobs_paused"] = new.jobsPaused - old.jobsPaused
        counts["jobs_held"] = new.jobsHeld - old.jobsHeld
        counts["jobs_unclaimed"] = new.jobsUnclaimed - old.jobsUnclaimed
        counts["jobs_rejected"] = new.jobsRejected - old.jobsRejected
        var refused = new.messagesRefused
        for (exchange, count) in old.messagesRefused { refused[exchange, default: 0] -= count }
        var recent = Recent(
            counts: counts.filter { $0.value != 0 }, refused: refused.filter { $0.value > 0 },
            seconds: (last.at - first.at) / .seconds(1))
        recent.resultsRouting = ResultsRouting.Counts(
            routed: new.resultsRouting.routed - old.resultsRouting.routed,
            unrouted: new.resultsRouting.unrouted - old.resultsRouting.unrouted,
            lastUnrouted: new.resultsRouting.lastUnrouted)
        return recent
    }
}
