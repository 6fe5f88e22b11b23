/// The history of one recipient: its outcomes, and the requests for it.
package struct History: Sendable {
    package let recipient: RecipientID
    package let kind: RecipientKind
    package let job: JobRecord
    /// Whether workers may process several messages of the job, each with its own outcomes.
    let mayRunTwice: Bool
    package fileprivate(set) var outcomes: [OutcomeRecord] = []
    package fileprivate(set) var sightings: [SightingRecord] = []

    /// The outcomes without those in repeated events.
    var distinct: [OutcomeRecord] { outcomes.filter { !$0.isRepeated } }

    /// The number of requests that the service may have accepted. They arrived, and the service sent no refusal.
    var possibleAcceptances: Int {
        sightings.reduce(0) { count, sighting in
            switch sighting.what {
            case .arrived: count + 1
            case .disowned: count - 1
            case .answered: sighting.what.isAcceptance ? count : count - 1
            case .unanswered: count
            }
        }
    }

    var acceptances: Int { sightings.count { $0.what.isAcceptance } }

    /// Whether the service has reported the recipient as dead.
    var isSaidToBeDead: Bool {
        sightings.contains {
            if case .answered(let status) = $0.what { job.output.deadStatuses.contains(status) } else { false }
        }
    }

    /// Whether a second processing of the job has sent to the recipient. Workers report only one outcome of such a
    /// recipient if one of them ended before its report. Retries do not count.
    var isSentTwice: Bool {
        guard !mayRunTwice else { return false }
        return distinct.count { !isUnasked($0) } > 1 || isSentWithoutReport
    }

    /// Whether a worker sent to the recipient and ended before it reported an outcome.
    var isSentWithoutReport: Bool {
        !mayRunTwice && distinct.count == 1 && possibleAcceptances > 1 && distinct[0].isRedelivered
            && distinct[0].attempts == 1
    }

    /// Returns whether the job expired before a worker could ask the database whether it is a copy.
    func isUnasked(_ outcome: OutcomeRecord) -> Bool { job.hasCopies && outcome.reason == "DatabaseUnavailable" }

    /// The time at which the recipient was settled for the first time, in milliseconds since 1970, or `nil`.
    var settled: Int64? {
        outcomes.map(\.received).min() ?? sightings.lazy.filter { $0.what.isAcceptance }.map(\.at).min()
    }

    /// Returns whether an outcome is a permanent refusal because of the sender, and not because of the address.
    func isMismatch(_ outcome: OutcomeRecord) -> Bool {
        outcome.reason.map(job.output.mismatchReasons.contains) == true
            && sightings.contains(where: \.what.isForGood)
    }

    /// The shortest time from a temporary refusal to the next request in milliseconds, or `nil` if there was no retry.
    var shortestRetry: Int64? {
        var refused: Int64?
        var shortest: Int64?
        for sighting in sightings.sorted(by: { $0.at < $1.at }) {
            if let since = refused, sighting.what == .arrived { shortest = min(shortest ?? .max, sighting.at - since) }
            if sighting.what.isForNow { refused = sighting.at }
        }
        return shortest
    }

    /// Whether any outcome states that the recipient may have been sent to before.
    var isSaidToBeRepeated: Bool { outcomes.contains { $0.isRedelivered || $0.attempts > 1 } }

    /// The time from publishing, or from `send_at`, to the first outcome in milliseconds, or `nil` without an outcome.
    /// It is 0 for a job that is cancelled before `send_at`.
    var wait: Int64? { outcomes.map(\.received).min().map { max(0, $0 - job.due) } }

    /// The time from `send_at` to the first request in milliseconds, or `nil` if the job has no `send_at` or there was
    /// no request.
    var lateness: Int64? {
        guard let sendAt = job.sendAt else { return nil }
        return sightings.lazy.filter { $0.what == .arrived }.map(\.at).min().map { $0 - sendAt }
    }

    /// The time of the last outcome or request, in milliseconds since 1970.
    var end: Int64 { max(outcomes.map(\.received).max() ?? 0, sightings.map(\.at).max() ?? 0) }

    var isConfirmed: Bool { job.confirmed != nil }
}

extension TortureRecord {
    /// Returns the histories of all published recipients, and descriptions of observations that belong to no published
    /// recipient.
    func histories() -> (known: [RecipientID: History], strays: [String]) {
        var known: [RecipientID: History] = [:]
        var strays: [String] = []
        for (number, job) in jobs where job.traits.flaw == nil {
            let mayRunTwice = job.mayRunTwice(limits)
            for (index, kind) in job.recipients.enumerated() {
                let id = RecipientID(job: number, index: index)
                known[id] = History(recipient: id, kind: kind, job: job, mayRunTwice: mayRunTwice)
            }
        }
        for outcome in outcomes {
            if known[outcome.recipient]?.outcomes.append(outcome) == nil {
                strays.append("an outcome for \(outcome.recipient), which was not published")
            }
        }
        for sighting in sightings {
            if known[sighting.recipient]?.sightings.append(sighting) == nil {
                strays.append("a request for \(sighting.recipient), which was not published")
            }
        }
        return (known, strays)
    }
}
