import Store

/// Workers that others have not heard of, or that are not ready.
struct FleetProblems {
    let facts: StatusFacts

    var all: [Problem] {
        var found: [Problem] = []
        let silent = facts.fleet.members.filter(\.isSilent)
        if !silent.isEmpty, facts.link.isKnown {
            found.append(
                Problem(
                    .workerGone,
                    "Not heard of any more: \(Phrase.list(silent.map(\.name))). They ended without a word."))
        }
        let hindered = facts.fleet.members.filter {
            !$0.isSilent && $0.report?.state == .hindered && $0.name != facts.name
        }
        if !hindered.isEmpty {
            found.append(Problem(.workerNotReady, "Not ready: \(Phrase.list(hindered.map(\.name)))."))
        }
        return found
    }
}
