import DeliveryPipeline
import PushModel

/// Problems of the worker's configuration, clock, keyring and apps.
struct OwnProblems {
    let facts: StatusFacts

    /// A job that is open for longer is not going to be done in the ordinary course of things.
    private static let longestOpenSeconds = 300
    /// Providers refuse tokens whose time is off by more than some minutes; shared tokens bear the database's time.
    private static let longestClockMilliseconds = 30_000

    var all: [Problem] {
        var found: [Problem] = []
        if let ahead = facts.clockAhead, abs(ahead) >= Self.longestClockMilliseconds {
            found.append(
                Problem(
                    .clockWrong,
                    "This worker's clock is \(Phrase.duration(abs(ahead) / 1_000)) \(ahead < 0 ? "behind" : "ahead of") "
                        + "the database's."))
        }
        if !facts.openingProblems.isEmpty {
            found.append(
                Problem(
                    .credentialsUnopened,
                    "Credentials can't be opened: \(facts.openingProblems.sorted().joined(separator: "; "))"))
        }
        if !facts.keptBecause.isEmpty {
            found.append(
                Problem(
                    .credentialsKept,
                    "Credentials can't be opened any more: \(Phrase.list(facts.keptBecause.sorted()))."))
        }
        if !facts.unreadableRows.isEmpty {
            found.append(Problem(.rowsUnreadable, "Rows can't be read: \(Phrase.list(facts.unreadableRows))."))
        }
        found += appProblems
        if facts.counts.oldestJobSeconds > Self.longestOpenSeconds {
            found.append(
                Problem(
                    .jobUnsettled,
                    "A job has been here for \(Phrase.duration(facts.counts.oldestJobSeconds)) and is not settled."))
        }
        return found
    }

    private var appProblems: [Problem] {
        var found: [Problem] = []
        let waiting = Dictionary(facts.view.apps.map { ($0.app, $0.waiting + $0.inFlight) }) { first, _ in first }
        let lacking = facts.apps.filter { !$0.unroutable.isEmpty }.sorted {
            (waiting[$1.app] ?? 0, $0.app) < (waiting[$0.app] ?? 0, $1.app)
        }
        let paused = facts.apps.filter(\.isPaused).map(\.app).sorted()
        let held = facts.minute["jobs_held"]
        let reasons = lacking.map { "\($0.app) (\($0.unroutable.joined(separator: "; ")))" }
        if held > 0, !lacking.isEmpty || paused.isEmpty {
            found.append(
                Problem(
                    .jobsHeld,
                    "\(Phrase.count(held, "job")) put back in the last minute: "
                        + (reasons.isEmpty
                            ? "no credential serves them." : "no credential serves \(Phrase.list(reasons)).")
                ))
        } else if !lacking.isEmpty {
            found.append(
                Problem(
                    .appUnroutable,
                    "No credential serves the plainest pushes of \(Phrase.list(lacking.map(\.app)))."))
        }
        if !paused.isEmpty {
            let jobs = held > 0 ? " \(Phrase.count(held, "job")) put back in the last minute." : ""
            found.append(
                Problem(
                    .appPaused,
                    "\(paused.count == 1 ? "An app is" : "\(Phrase.figure(paused.count)) apps are") paused: "
                        + "\(Phrase.list(paused)).\(jobs)"))
        }
        return found
    }
}
