import DeliveryPipeline
import PushModel
import Store

/// A detector of problems of the worker's configuration, clock, keyring and apps.
struct OwnProblems {
    let facts: StatusFacts

    /// The age above which an open job is a problem, in seconds.
    private static let longestOpenSeconds = 300
    /// The smallest difference from the database's clock that is a problem, in milliseconds. Shared provider tokens
    /// contain the database's time, and providers refuse a token whose time is wrong by several minutes.
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
                    "Credentials cannot be opened: \(facts.openingProblems.sorted().joined(separator: "; "))"))
        }
        if !facts.keptBecause.isEmpty {
            found.append(
                Problem(
                    .credentialsKept,
                    "Credentials in use can no longer be opened: \(Phrase.list(facts.keptBecause.sorted()))."))
        }
        if !facts.unreadableRows.isEmpty {
            found.append(Problem(.rowsUnreadable, "Rows cannot be read: \(Phrase.list(facts.unreadableRows))."))
        }
        found += appProblems
        if facts.counts.oldestJobSeconds > Self.longestOpenSeconds {
            found.append(
                Problem(
                    .jobUnsettled,
                    "A job has been open for \(Phrase.duration(facts.counts.oldestJobSeconds)) and is not settled."))
        }
        return found
    }

    private var appProblems: [Problem] {
        var found: [Problem] = []
        let waiting = Dictionary(facts.view.apps.map { ($0.app, $0.waiting + $0.inFlight) }) { first, _ in first }
        let lacking = facts.apps.filter { !$0.unroutable.isEmpty }.sorted {
            (waiting[$1.app] ?? 0, $0.app) < (waiting[$0.app] ?? 0, $1.app)
        }
        let pauses = Dictionary(facts.fleet.pauses.map { ($0.app, $0) }) { first, _ in first }
        let names = facts.apps.filter(\.isPaused).map(\.app).sorted()
        let paused = names.map { pauses[$0]?.text ?? $0 }
        let heldByPause = facts.minute["jobs_paused"]
        let unsendable = facts.minute["jobs_held"] - heldByPause
        let reasons = lacking.map { "\($0.app) (\($0.unroutable.joined(separator: "; ")))" }
        if unsendable > 0 {
            found.append(
                Problem(
                    .jobsHeld,
                    "\(Phrase.count(unsendable, "job")) delayed in the last minute because "
                        + (reasons.isEmpty
                            ? "no credential serves them." : "no credential serves \(Phrase.list(reasons)).")
                ))
        } else if !lacking.isEmpty {
            found.append(
                Problem(
                    .appUnroutable,
                    "No credential serves plain pushes of \(Phrase.list(lacking.map(\.app)))."))
        }
        if !paused.isEmpty {
            let jobs = heldByPause > 0 ? " \(Phrase.count(heldByPause, "job")) delayed in the last minute." : ""
            found.append(
                Problem(
                    .appPaused,
                    "\(paused.count == 1 ? "An app is" : "\(Phrase.figure(paused.count)) apps are") paused: "
                        + "\(Phrase.list(paused)).\(jobs)", subject: Phrase.list(names)))
        }
        return found
    }
}
