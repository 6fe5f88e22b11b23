import Foundation
import PushModel

/// The report of a run. If the run fails, the report's evidence contains the histories of affected recipients.
struct Report {
    private static let mostShown = 20

    let run: TortureRun
    let result: TortureRun.Result

    var text: String {
        let tally = result.verdict.tally
        var lines = [
            "torture: seed \(run.seed), \(run.profile.seconds) s of faults, \(Int(result.seconds)) s in all",
            "published: \(tally.jobs) jobs with \(tally.recipients) recipients, \(tally.atMostOnceRecipients) of them "
                + "at_most_once; \(tally.unconfirmedJobs) jobs unconfirmed, "
                + "\(tally.jobsMaybePublishedTwice) possibly published twice",
            "jobs published twice must be sent " + (run.profile.deduplicationWindow > 0 ? "once" : "twice"),
            "also: \(tally.problemsOnlyRecipients) recipients asked for problems only, \(tally.jobsPublishedTwice) jobs published "
                + "twice on purpose, \(tally.unusableJobs) unusable jobs (\(tally.deadLettered) dead-lettered), "
                + "\(tally.cancelledRecipients) recipients cancelled, \(tally.cancelledInTime) of them in time; "
                + "\(tally.deadlineRecipients) have a deadline",
            "rate limits: \(tally.jobsWithARate) jobs have a rate; fullest windows of apps, in % of the maximum: "
                + list(tally.fullestWindows) + "; emptiest windows of last campaigns, in % of the rate: "
                + list(tally.emptiest),
            "scheduled, from send_at to the first request: \(distribution(tally.lateness))",
            "outcomes: " + list(tally.outcomes) + "; \(tally.redeliveredOutcomes) of them redelivered",
            "from publishing, or send_at, to the first outcome: \(distribution(waits))",
            "duplicates: \(tally.recipientsWithSeveralOutcomes) recipients with several outcomes, "
                + "\(tally.recipientsWithSeveralArrivals) with several requests that may have been accepted; "
                + explanation(of: tally.duplicates) + "; \(tally.repeatedEvents) events were repeated; the broker "
                + "copied \(tally.jobsCopiedByBroker) jobs",
            "while no fault had effects, from publishing to the first outcome: " + lanes(tally.lanes),
            "faults: \(result.record.faults.count): "
                + list(Dictionary(grouping: result.record.faults) { $0.fault.name }.mapValues(\.count)),
        ]
        lines += OutputKind.allCases.compactMap { output in tally.byOutput[output].map { line($0, of: output) } }
        lines.append(
            "the largest event had \(result.record.largestEvent) bytes; \(result.record.suspects.count) jobs were suspected; "
                + "workers that joined late: \(list(joins))")
        lines += memory
        lines += result.verdict.unjudged.map { "NOT JUDGED \($0.invariant): \($0.text)" }
        let failed = Invariant.allCases.filter { result.verdict.count(of: $0) > 0 }
        for invariant in failed {
            lines.append("BROKEN \(invariant), \(result.verdict.count(of: invariant)) times: \(invariant.rawValue)")
            for finding in result.verdict.findings.filter({ $0.invariant == invariant }).prefix(3) {
                lines.append("    \(finding.recipient.map { "\($0): " } ?? "")\(finding.text)")
            }
        }
        lines.append(failed.isEmpty ? "verdict: good" : "verdict: BAD; see \(run.folder.path)")
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ tally: OutputTally, of output: OutputKind) -> String {
        "\(output.rawValue): \(tally.jobs.count) jobs with \(tally.recipients) recipients; its service got \(tally.requests) "
            + "requests, accepted \(tally.accepted) recipients and reported \(tally.reportedDead) as dead; outcomes: "
            + "\(tally.sent) sent, \(tally.unregistered) unregistered; marked: \(tally.marked)"
    }

    func write() throws {
        try text.write(to: run.folder.appending(path: "report.txt"), atomically: true, encoding: .utf8)
        let faults = result.record.faults.sorted { $0.start < $1.start }.map(line).joined(separator: "\n")
        try (faults + "\n").write(to: run.folder.appending(path: "faults.txt"), atomically: true, encoding: .utf8)
        try slowest.write(to: run.folder.appending(path: "slowest.txt"), atomically: true, encoding: .utf8)
        if !result.verdict.isGood {
            try evidence.write(to: run.folder.appending(path: "evidence.txt"), atomically: true, encoding: .utf8)
        }
    }

    private func explanation(of tally: DuplicateTally) -> String {
        "\(tally.mostOfOneFault) recipients after the fault with most of them (at most \(tally.mostAllowed)), "
            + "\(tally.unseenJobs) jobs after faults of workers that reported none of their outcomes; a fault would "
            + "explain a duplicate of \(tally.explicable) of \(tally.judged) recipients"
    }

    private func lanes(_ tally: [Lane: LaneTally]) -> String {
        guard !tally.isEmpty else { return "none" }
        return Lane.allCases.compactMap { lane in
            tally[lane].map {
                "\(lane.rawValue): half within \($0.median) ms, 99 % within \($0.late) ms, slowest app "
                    + "\($0.slowestApp ?? "unknown") with half within \($0.slowestMedian) ms (\($0.recipients) recipients)"
            }
        }.joined(separator: "; ")
    }

    private var waits: [Int64] { result.record.histories().known.values.compactMap(\.wait).sorted() }

    private func distribution(_ sorted: [Int64]) -> String {
        guard let first = sorted.first, let last = sorted.last else { return "none" }
        func share(_ percent: Int) -> Int64 { sorted[min(sorted.count - 1, sorted.count * percent / 100)] }
        return "at least \(first) ms, half within \(share(50)) ms, 99 % within \(share(99)) ms, at most \(last) ms"
    }

    private var joins: [String: Int] {
        let first = result.record.joins.map { join in
            join.ready.flatMap { ready in
                join.firstOutcome.map { "after \($0 - ready) ms, \(join.left) of the load left" }
            } ?? "never"
        }
        return Dictionary(grouping: first) { $0 }.mapValues(\.count)
    }

    private var memory: [String] {
        let byWorker = Dictionary(grouping: result.record.memory) { $0.worker }
        return byWorker.sorted { $0.key < $1.key }.map { worker, samples in
            let kilobytes = samples.map(\.kilobytes)
            let starts = samples.map(\.incarnation).max() ?? 0
            return "memory of worker \(worker): at most \((kilobytes.max() ?? 0) / 1_024) MB, at the end "
                + "\((kilobytes.last ?? 0) / 1_024) MB, started \(starts) times"
        }
    }

    /// The list of all findings. The first findings of each kind include the recipient's history and the faults at that
    /// time.
    private var evidence: String {
        let histories = result.record.histories().known
        var lines: [String] = []
        for invariant in Invariant.allCases {
            let findings = result.verdict.findings.filter { $0.invariant == invariant }
            guard !findings.isEmpty else { continue }
            lines.append("== \(invariant.rawValue): \(findings.count)")
            for finding in findings.prefix(Self.mostShown) {
                lines.append("-- \(finding.recipient.map { "\($0): " } ?? "")\(finding.text)")
                if let history = finding.recipient.flatMap({ histories[$0] }) { lines += story(of: history) }
            }
            let rest = findings.dropFirst(Self.mostShown).compactMap(\.recipient).map {
                "\($0.job)/\($0.index)"
            }
            if !rest.isEmpty { lines.append("-- other recipients: " + rest.joined(separator: " ")) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The histories of the recipients that waited longest for an outcome.
    private var slowest: String {
        let waits = result.record.histories().known.values.compactMap { history in
            history.wait.map { (history: history, wait: $0) }
        }
        return waits.sorted { $0.wait > $1.wait }.prefix(Self.mostShown).map { history, wait in
            (["\(history.recipient): \(wait) ms"] + story(of: history)).joined(separator: "\n") + "\n"
        }.joined()
    }

    private func story(of history: History) -> [String] {
        var events: [(at: Int64, text: String)] = [(history.job.published, "published")]
        if let confirmed = history.job.confirmed { events.append((confirmed, "confirmed to its publisher")) }
        if let sendAt = history.job.sendAt { events.append((sendAt, "send_at")) }
        if let expiresAt = history.job.expiresAt, expiresAt > 0 { events.append((expiresAt, "expires_at")) }
        if let cancelled = history.job.cancelled { events.append((cancelled, "cancelled")) }
        events += history.sightings.map { ($0.at, "\(history.job.output.rawValue): \($0.what)") }
        events += history.outcomes.map { outcome in
            (
                outcome.at,
                "\(outcome.kind) \(outcome.reason ?? "") by \(outcome.worker), attempt \(outcome.attempts)"
                    + (outcome.isRedelivered ? ", redelivered" : "") + (outcome.isRepeated ? ", REPEATED" : "")
                    + ", event \(outcome.event), received \(clock(outcome.received))"
            )
        }
        let first = history.job.published - 2_000
        let last = (events.map(\.at).max() ?? first) + 2_000
        events += result.record.faults.filter { $0.start <= last && $0.end >= first }.map {
            ($0.start, "FAULT \($0.fault), until \(clock($0.end))")
        }
        let header =
            "   \(history.kind.rawValue) in lane \(history.job.lane.rawValue) of \(history.job.app)"
            + ", job of \(history.job.recipients.count)" + (history.job.traits.isAtMostOnce ? ", at_most_once" : "")
            + (history.job.traits.wantsProblemsOnly ? ", problems only" : "")
            + (history.job.traits.publishAgainAfter != nil ? ", published twice" : "")
            + (history.job.traits.hasID ? "" : ", without an id")
            + (history.job.traits.slip.map { ", \($0)" } ?? "")
            + (history.job.expiresAt == 0 ? ", expires_at 0" : "")
            + (history.job.isMaybeTwice ? ", possibly published twice" : "")
        return [header] + events.sorted { $0.at < $1.at }.map { "   \(clock($0.at)) \($0.text)" }
    }

    private func line(_ fault: FaultRecord) -> String {
        "\(clock(fault.start)) - \(clock(fault.end)) \(fault.fault)\(fault.note.map { " FAILED: \($0)" } ?? "")"
    }

    /// Returns a time of day in UTC, in the same format as in the workers' logs.
    private func clock(_ milliseconds: Int64) -> String {
        let day = milliseconds % 86_400_000
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let fraction = String(1_000 + day % 1_000).dropFirst()
        return "\(two(day / 3_600_000)):\(two(day / 60_000 % 60)):\(two(day / 1_000 % 60)).\(fraction)"
    }

    private func list(_ counts: [String: Int]) -> String {
        counts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map { "\($0.value) \($0.key)" }
            .joined(separator: ", ")
    }
}

extension TortureRun.Result {
    /// Returns the report as text.
    package func report(of run: TortureRun) -> String { Report(run: run, result: self).text }
}
