/// The judge of duplicates. A fault that redelivered the job must explain each duplicate, and no fault may explain more
/// duplicates than its workers had recipients in flight.
struct DuplicateJudge {
    /// The maximum number of jobs that a worker may lose while it moves them to other queues, without reporting any of
    /// their outcomes. It moves a few hundred jobs per second, and the broker confirms a move within half a second.
    package static let mostUnseen = 100
    /// The share of recipients, in percent, for which a fault may explain a duplicate. If the share is higher, nearly
    /// every duplicate would be explained.
    private static let mostExplicable = 98

    private(set) var findings: [Finding] = []
    private(set) var bounds: [Bound] = []
    private(set) var tally = DuplicateTally()
    private let disturbances: Disturbances
    /// The number of duplicates and of unseen jobs that each fault explains, by the index of the loss.
    private var explained: [Int]
    private var unseen: [Int]

    init(_ jobs: [[History]], _ disturbances: Disturbances) {
        self.disturbances = disturbances
        explained = Array(repeating: 0, count: disturbances.losses.count)
        unseen = explained
        var duplicates: [(causes: [Int], count: Int)] = []
        for histories in jobs {
            guard let job = histories.first?.job else { continue }
            let causes = disturbances.causes(of: JobLife(of: job, histories))
            let judged = histories.count { !$0.mayRunTwice }
            tally.judged += judged
            if !causes.seen.isEmpty { tally.explicable += judged }
            judgeRetries(histories, causes)
            let twice = histories.filter(\.isSentTwice)
            guard !twice.isEmpty else { continue }
            guard !causes.isEmpty else {
                findings += twice.map {
                    Finding(
                        .duplicatesExplained, $0.recipient, "\($0.distinct.count) outcomes, and no fault hit the job")
                }
                continue
            }
            // The worker that sent without a report is unknown.
            let isSeen = !causes.seen.isEmpty || twice.allSatisfy(\.isSentWithoutReport)
            if !isSeen { attribute(1, to: causes.unseen, &unseen) }
            duplicates.append((causes.seen.isEmpty ? causes.unseen : causes.seen, twice.count))
        }
        // Duplicates with few possible causes are attributed first, because other duplicates have more causes to choose
        // from.
        for (causes, count) in duplicates.sorted(by: { $0.causes.count < $1.causes.count }) {
            attribute(count, to: causes, &explained)
        }
        judgeFaults(jobs)
    }

    /// Attributes duplicates to the faults that explain the fewest so far.
    private func attribute(_ count: Int, to causes: [Int], _ counts: inout [Int]) {
        for _ in 0..<count {
            guard let least = causes.min(by: { counts[$0] < counts[$1] }) else { return }
            counts[least] += 1
        }
    }

    /// Judges several requests for a recipient that workers report as retries, or do not report. A fault of the service
    /// or a redelivery must explain them.
    private mutating func judgeRetries(_ histories: [History], _ causes: JobLife.Causes) {
        guard causes.isEmpty else { return }
        for history in histories where !history.mayRunTwice && history.kind != .silent {
            let isRetried = history.outcomes.contains { $0.attempts > 1 }
            guard history.possibleAcceptances > 1, isRetried || history.job.traits.wantsProblemsOnly,
                !disturbances.mayBlind(history.job.output, from: history.job.published, to: history.end)
            else { continue }
            findings.append(
                Finding(
                    .arrivalsExplained, history.recipient,
                    "\(history.possibleAcceptances) requests that may have been accepted, without a disturbance"))
        }
    }

    private mutating func judgeFaults(_ jobs: [[History]]) {
        let losses = disturbances.losses
        for (index, loss) in losses.enumerated() {
            if explained[index] > loss.mostRecipients {
                let text = "\(explained[index]) after \(loss.fault.fault), at most \(loss.mostRecipients)"
                findings.append(Finding(.duplicatesBounded, nil, text))
            }
            if unseen[index] > Self.mostUnseen {
                let text =
                    "\(unseen[index]) jobs after \(loss.fault.fault), whose worker reported nothing of them, at most "
                    + "\(Self.mostUnseen)"
                findings.append(Finding(.duplicatesExplained, nil, text))
            }
        }
        if let worst = losses.indices.max(by: { explained[$0] < explained[$1] }) {
            (tally.mostOfOneFault, tally.mostAllowed) = (explained[worst], losses[worst].mostRecipients)
        }
        tally.unseenJobs = unseen.reduce(0, +)
        bounds = [
            Bound(
                .duplicatesBounded, losses.map(\.mostRecipients).max() ?? 0, of: tally.judged,
                "recipients that one fault may send to twice"),
            Bound(
                .duplicatesExplained, tally.explicable, of: tally.judged * Self.mostExplicable / 100,
                "recipients whose duplicates a fault would explain"),
            Bound(
                .duplicatesExplained, losses.isEmpty ? 0 : Self.mostUnseen, of: jobs.count,
                "jobs that one worker may have moved"),
        ]
    }
}

/// The statistics of duplicates.
package struct DuplicateTally: Sendable, Equatable {
    /// The number of recipients whose duplicates need an explanation.
    package var judged = 0
    /// The number of recipients for which a fault would explain a duplicate.
    package var explicable = 0
    /// The largest number of recipients with duplicates that are attributed to a single fault.
    package var mostOfOneFault = 0
    /// The maximum for this fault.
    package var mostAllowed = 0
    /// The number of jobs sent twice whose only possible causes are faults of workers that reported none of their
    /// outcomes.
    package var unseenJobs = 0
}
