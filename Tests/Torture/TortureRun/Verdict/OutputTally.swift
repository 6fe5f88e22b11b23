/// The statistics of one output, from the workers' outcomes and from the output's service.
package struct OutputTally: Sendable, Equatable {
    package private(set) var jobs: Set<Int> = []
    package private(set) var recipients = 0
    // The following counts come from the service.
    package private(set) var requests = 0
    package private(set) var accepted = 0
    package private(set) var reportedDead = 0
    // The following counts come from the workers' outcomes and from the marks in the database.
    package private(set) var sent = 0
    package private(set) var unregistered = 0
    package private(set) var marked = 0

    mutating func add(_ history: History, isMarked: Bool) {
        jobs.insert(history.recipient.job)
        recipients += 1
        requests += history.sightings.count { $0.what == .arrived }
        if history.acceptances > 0 { accepted += 1 }
        if history.isSaidToBeDead { reportedDead += 1 }
        if history.outcomes.contains(where: { $0.kind == "sent" }) { sent += 1 }
        if history.outcomes.contains(where: { $0.kind == "unregistered" }) { unregistered += 1 }
        if isMarked { marked += 1 }
    }
}
