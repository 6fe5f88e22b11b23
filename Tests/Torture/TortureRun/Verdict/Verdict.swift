/// The judgement of whether a run fulfilled all invariants. It depends only on the record.
package struct Verdict: Sendable {
    package internal(set) var findings: [Finding] = []
    /// The parts of the record that an invariant could not judge.
    package internal(set) var unjudged: [Unjudged] = []
    package private(set) var tally = Tally()
    /// The findings about jobs that the broker may have dead-lettered twice. They count only if there are too many such
    /// jobs.
    var copies: [Finding] = []

    package var isGood: Bool { findings.isEmpty }

    package init(_ record: TortureRecord) {
        let (histories, strays) = record.histories()
        let sorted = histories.values.sorted { $0.recipient < $1.recipient }
        let disturbances = Disturbances(record.faults, limits: record.limits)
        tally = Tally(record, sorted, disturbances)
        let rejected = Set(record.rejections.map(\.job))
        for history in sorted {
            judge(history, disturbances, record, isRejected: rejected.contains(history.recipient.job))
        }
        tally.jobsCopiedByBroker = Set(copies.compactMap { $0.recipient?.job }).count
        if tally.jobsCopiedByBroker > disturbances.mostCopies { findings += copies }
        let jobs = Dictionary(grouping: sorted) { $0.recipient.job }.sorted { $0.key < $1.key }.map(\.value)
        let duplicates = DuplicateJudge(jobs, disturbances)
        (findings, tally.duplicates) = (findings + duplicates.findings, duplicates.tally)
        let copied = Bound(.duplicatesAreMarked, disturbances.mostCopies, of: jobs.count, "jobs copied by a cluster")
        let bounds = BoundJudge(duplicates.bounds + [copied], record)
        (findings, unjudged) = (findings + bounds.findings, unjudged + bounds.unjudged)
        let lanes = LaneJudge(record, sorted)
        (findings, unjudged, tally.lanes) = (findings + lanes.findings, unjudged + lanes.unjudged, lanes.tally)
        let paces = PaceJudge(record, sorted, disturbances)
        (findings, tally.fullestWindows, tally.emptiest) = (findings + paces.findings, paces.fullest, paces.emptiest)
        unjudged += paces.unjudged
        findings += EventJudge(record, disturbances).findings
        findings += NameJudge.findings(record, disturbances)
        judgeWorkers(record, disturbances)
        judgeUnusable(record, disturbances)
        judgeWhole(record, disturbances)
        findings += (strays + record.oddities).map { Finding(.understood, nil, $0) }
        findings += MemoryJudge.findings(record.memory, limitMegabytes: record.limits.memoryMegabytes)
        unjudged += Unjudged.all(record, tally)
    }

    package func count(of invariant: Invariant) -> Int { findings.count { $0.invariant == invariant } }

    /// The beginning of the reason in the dead-letter queue if the broker dropped a message because of its
    /// `expiration`.
    private static let expired = "expired in martlet.jobs."
    /// The reason in the dead-letter queue if workers conclude that a job crashes workers.
    private static let condemned = "delivered too often"

    private mutating func judgeWhole(_ record: TortureRecord, _ disturbances: Disturbances) {
        for (queue, count) in record.waiting.sorted(by: { $0.key < $1.key })
        where count > 0 && !(disturbances.isLockedForLong && TortureRun.waitsForLong.contains(queue)) {
            findings.append(Finding(.queuesEmpty, nil, "\(count) messages in \(queue)"))
        }
        for end in record.workerEnds where !end.isFine {
            let how = end.wasAsked ? "was asked to stop and" : "was not asked to stop and"
            findings.append(
                Finding(.workersLive, nil, "worker \(end.worker) \(how) ended with \(end.status): \(end.log)"))
        }
        if !record.isSettled { findings.append(Finding(.settled, nil, "the time limit was reached")) }
    }

    /// Judges unusable jobs. Each must be in the dead-letter queue once, and a result event must report it.
    private mutating func judgeUnusable(_ record: TortureRecord, _ disturbances: Disturbances) {
        let dead = Dictionary(grouping: record.dead) { $0.job }
        let reported = Dictionary(grouping: record.rejections) { $0.job }
        for (number, job) in record.jobs.sorted(by: { $0.key < $1.key }) {
            guard let flaw = job.traits.flaw else { continue }
            let found = dead[number] ?? []
            let events = (reported[number] ?? []).filter { !$0.isRepeated }
            let name = "job \(number) (\(flaw.rawValue))"
            if job.confirmed != nil, found.isEmpty {
                findings.append(Finding(.unusableAreDead, nil, "\(name): missing"))
            }
            for record in found where !record.reason.contains(flaw.reason) {
                findings.append(Finding(.unusableAreDead, nil, "\(name): because \"\(record.reason)\""))
            }
            if job.confirmed != nil, events.isEmpty {
                findings.append(Finding(.rejectionsAreReported, nil, "\(name): no event"))
            }
            // The broker may redeliver the job until it has processed the worker's acknowledgement, shortly after the
            // report.
            let end = (events.map(\.received).max() ?? job.published) + 1_000
            guard !job.isMaybeTwice, !disturbances.mayRedeliver(from: job.published, to: end) else { continue }
            if found.count > 1 {
                findings.append(Finding(.unusableAreDead, nil, "\(name): \(found.count) times without a disturbance"))
            }
            if events.count > 1 {
                findings.append(
                    Finding(.rejectionsAreReported, nil, "\(name): \(events.count) events without a disturbance"))
            }
        }
        let condemned = Set(
            record.rejections.filter { disturbances.mayCondemn(record.jobs[$0.job], by: $0.received) }.map(\.job))
        for job in record.dead where job.job.flatMap({ record.jobs[$0]?.traits.flaw }) == nil {
            if job.reason.contains(Self.expired), record.isReportedAndMayExpire(job.job) { continue }
            if job.reason.contains(Self.condemned), job.job.map(condemned.contains) == true { continue }
            let name = job.job.map { "job \($0)" } ?? "a message without a job"
            findings.append(Finding(.unusableAreDead, nil, "\(name) can be used, but is dead: \"\(job.reason)\""))
        }
        for rejection in record.rejections where record.jobs[rejection.job]?.traits.flaw == nil {
            if record.jobs[rejection.job]?.traits.slip == .expiration { continue }
            let isCondemned = dead[rejection.job]?.contains { $0.reason.contains(Self.condemned) } == true
            if isCondemned, condemned.contains(rejection.job) { continue }
            findings.append(Finding(.rejectionsAreReported, nil, "job \(rejection.job) can be used, but was rejected"))
        }
    }
}

extension TortureRecord {
    fileprivate func isReportedAndMayExpire(_ job: Int?) -> Bool {
        guard let job, jobs[job]?.traits.slip == .expiration else { return false }
        return rejections.contains { $0.job == job }
    }
}

extension WorkerEnd {
    /// Whether the worker ended as expected. SIGTERM ends a worker at once while it waits for the database, because it
    /// has nothing to drain. A worker that gets SIGTERM twice does not drain, and exits with status 1.
    fileprivate var isFine: Bool {
        wasAsked && (status == 0 || wasHurried && status == 1 || !wasRunning && status == 128 + 15)
    }
}
