/// What happened to one recipient.
package struct History: Sendable {
    package let recipient: RecipientID
    package let kind: RecipientKind
    package let job: JobRecord
    /// There may have been two messages of its job, of which each has its outcomes.
    let mayRunTwice: Bool
    package fileprivate(set) var outcomes: [OutcomeRecord] = []
    package fileprivate(set) var sightings: [SightingRecord] = []

    /// Outcomes that are no second copy of the same event.
    var distinct: [OutcomeRecord] { outcomes.filter { !$0.isRepeated } }

    /// Requests that its service may have accepted: they came in, and no refusal was answered.
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

    /// Its service has said that it is dead.
    var isSaidToBeDead: Bool {
        sightings.contains {
            if case .answered(let status) = $0.what { job.output.deadStatuses.contains(status) } else { false }
        }
    }

    /// Whether it was refused for who has sent to it.
    func isMismatch(_ outcome: OutcomeRecord) -> Bool {
        outcome.reason.map(job.output.mismatchReasons.contains) == true
            && sightings.contains(where: \.what.isForGood)
    }

    /// Milliseconds from a refusal for now to the next request, the shortest.
    var shortestRetry: Int64? {
        var refused: Int64?
        var shortest: Int64?
        for sighting in sightings.sorted(by: { $0.at < $1.at }) {
            if let since = refused, sighting.what == .arrived { shortest = min(shortest ?? .max, sighting.at - since) }
            if sighting.what.isForNow { refused = sighting.at }
        }
        return shortest
    }

    /// An outcome owns up to its recipient having perhaps been sent to before.
    var isSaidToBeRepeated: Bool { outcomes.contains { $0.isRedelivered || $0.attempts > 1 } }

    /// Milliseconds from publishing, or from its time, to the first outcome. What was cancelled does not wait.
    var wait: Int64? { outcomes.map(\.received).min().map { max(0, $0 - job.due) } }

    /// Milliseconds from its time to the first request.
    var lateness: Int64? {
        guard let sendAt = job.sendAt else { return nil }
        return sightings.lazy.filter { $0.what == .arrived }.map(\.at).min().map { $0 - sendAt }
    }

    /// The last that was seen of it.
    var end: Int64 { max(outcomes.map(\.received).max() ?? 0, sightings.map(\.at).max() ?? 0) }

    var isConfirmed: Bool { job.confirmed != nil }
}

extension TortureRecord {
    /// Everything by recipient, and what belongs to no recipient that was published.
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
                strays.append("an outcome of \(outcome.recipient), which was not published")
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
