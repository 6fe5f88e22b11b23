import Store

/// A detector of workers that stopped without a clean shutdown, and of other workers that are not ready.
struct FleetProblems {
    let facts: StatusFacts

    /// The smallest number of consecutive crashes that counts as a crash loop.
    private static let loop = 3

    var all: [Problem] {
        var found: [Problem] = []
        let silent = facts.fleet.members.filter { $0.isSilent && $0.silentSeconds >= Problem.graceSeconds }
        if !silent.isEmpty, facts.link.isKnown {
            let names = Phrase.list(Set(silent.map(\.name)).sorted())
            found.append(
                Problem(
                    .workerGone, "Workers that stopped reporting without signing off: \(names).", subject: names))
        }
        let living = Dictionary(facts.fleet.members.filter { !$0.isSilent }.map { ($0.name, $0) }) {
            $0.uptimeSeconds <= $1.uptimeSeconds ? $0 : $1
        }
        let replacing = living.values.filter { ($0.report?.crashes ?? 0) > 0 }.sorted { $0.name < $1.name }
        if !replacing.isEmpty {
            let names = replacing.map { "\($0.name) (\(Phrase.count($0.report?.crashes ?? 0, "time")) in a row)" }
            let isLoop = replacing.contains { ($0.report?.crashes ?? 0) >= Self.loop }
            let text = "Workers whose predecessor ended without a clean shutdown: \(Phrase.list(names))."
            found.append(Problem(.workerCrashes, text, severity: isLoop ? .trouble : nil))
        }
        let hindered = facts.fleet.members.filter {
            !$0.isSilent && [.hindered, .starting].contains($0.report?.state) && $0.name != facts.name
        }
        if !hindered.isEmpty {
            found.append(Problem(.workerNotReady, "Workers that are not ready: \(Phrase.list(hindered.map(\.name)))."))
        }
        return found
    }
}
