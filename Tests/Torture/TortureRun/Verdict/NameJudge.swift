/// The judge of the ids that workers generate for jobs without an id.
enum NameJudge {
    /// The number of recipients above which every worker splits a job, regardless of its settings.
    private static let mostUnsplit = 1_000

    /// Returns the jobs without an id that every worker splits.
    static func splitWithoutID(_ record: TortureRecord) -> [Int: JobRecord] {
        record.jobs.filter {
            !$0.value.traits.hasID && $0.value.traits.flaw == nil && $0.value.recipients.count > mostUnsplit
        }
    }

    /// Judges the ids that workers generated for jobs with thousands of recipients. A job can have a second id only if
    /// a worker dies while it assigns the first id. The broker then has the whole job under each id. If a worker split
    /// the job without an id, only a part of the job would appear under each id.
    static func findings(_ record: TortureRecord, _ disturbances: Disturbances) -> [Finding] {
        let unnamed = splitWithoutID(record)
        guard !unnamed.isEmpty else { return [] }
        var findings: [Finding] = []
        var names: [Int: [String: Set<Int>]] = [:]
        for outcome in record.outcomes {
            guard let id = outcome.madeUpID, unnamed[outcome.recipient.job] != nil else { continue }
            names[outcome.recipient.job, default: [:]][id, default: []].insert(outcome.recipient.index)
        }
        var begun: [Int: Int64] = [:]
        for sighting in record.sightings where unnamed[sighting.recipient.job] != nil {
            begun[sighting.recipient.job] = min(begun[sighting.recipient.job] ?? .max, sighting.at)
        }
        var severalNames: [Finding] = []
        for (number, names) in names.sorted(by: { $0.key < $1.key }) {
            guard let job = unnamed[number] else { continue }
            let reported = names.values.map(\.count).sorted()
            let text =
                "job \(number) of \(job.recipients.count) recipients has \(names.count) ids, reported under each: \(reported)"
            if job.reportsAllByName, reported.contains(where: { $0 < job.recipients.count }) {
                findings.append(Finding(.namedOnce, nil, text))
            } else if names.count > job.messages,
                !disturbances.mayLoseWorker(from: job.published, to: begun[number] ?? job.published)
            {
                severalNames.append(Finding(.namedOnce, nil, text))
            }
        }
        // Some jobs with a second id are accepted, because a worker may be killed after it assigned an id and before it
        // acknowledged the job.
        return severalNames.count > disturbances.killsWhileSplitting / 4 ? findings + severalNames : findings
    }
}

extension JobRecord {
    /// Whether all outcomes are reported under the generated id. A job with a deadline may expire before it is split.
    fileprivate var reportsAllByName: Bool { !traits.wantsProblemsOnly && traits.expireAfter == nil }
}
