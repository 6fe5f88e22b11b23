extension Verdict {
    /// The maximum size of an event's body, in bytes (docs/consume.md).
    private static let largestEvent = 262_144
    /// The number of recipients beyond which every worker splits a job, regardless of its settings.
    private static let mostUnsplit = 1_000
    /// The number of deliveries after which a job is moved to the suspects.
    private static let deliveriesUntilSuspect = 5
    /// The time that a new worker has for its first push and the answer to it on a busy machine, in milliseconds.
    package static let joiningTakes: Int64 = 15_000

    private struct Event {
        let recipient: RecipientID
        /// The time of the first publication, taken from the latest outcome. The event may arrive much later if the
        /// broker was unavailable.
        var first: Int64
        var last: Int64
        /// The times of the repeated arrivals. The number of outcomes does not show them, because one recipient may
        /// have several outcomes.
        var again: Set<Int64> = []
    }

    // MARK: Events

    mutating func judgeEvents(_ record: TortureRecord, _ disturbances: Disturbances) {
        if record.largestEvent > Self.largestEvent {
            findings.append(Finding(.eventsBounded, nil, "one has \(record.largestEvent) bytes"))
        }
        var events: [Int: Event] = [:]
        for outcome in record.outcomes {
            guard var event = events[outcome.event] else {
                events[outcome.event] = Event(
                    recipient: outcome.recipient, first: outcome.at, last: outcome.received)
                continue
            }
            event.first = max(event.first, outcome.at)
            guard outcome.isRepeated else {
                events[outcome.event] = event
                continue
            }
            event.again.insert(outcome.received)
            event.last = max(event.last, outcome.received)
            events[outcome.event] = event
        }
        for (number, event) in events.sorted(by: { $0.key < $1.key }) where !event.again.isEmpty {
            judge(event, number, disturbances)
        }
    }

    private mutating func judge(_ event: Event, _ number: Int, _ disturbances: Disturbances) {
        let refusals = disturbances.refusals(of: event.first)
        guard refusals > 0 else {
            if !disturbances.mayRedeliver(from: event.first, to: event.last) {
                findings.append(
                    Finding(
                        .repeatedEventsExplained, event.recipient, "event \(number) came again, and nothing happened"))
            }
            return
        }
        let most = refusals + disturbances.disturbances(from: event.first - 1_000, to: event.last + 1_000)
        guard event.again.count > most else { return }
        findings.append(
            Finding(
                .repeatedEventsBounded, event.recipient,
                "event \(number) came \(event.again.count) times more in \(event.last - event.first) ms, at most \(most)"
            ))
    }

    // MARK: Names

    /// Judges the IDs that workers generate for jobs of thousands. A second ID is only possible if a worker dies while
    /// it assigns one. In that case the broker has the whole job under each ID. A job that is split without an ID would
    /// appear only in part under one.
    mutating func judgeNames(_ record: TortureRecord, _ disturbances: Disturbances) {
        let unnamed = record.jobs.filter {
            !$0.value.traits.hasID && $0.value.traits.flaw == nil && $0.value.recipients.count > Self.mostUnsplit
        }
        guard !unnamed.isEmpty else { return }
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
            let told = names.values.map(\.count).sorted()
            let text =
                "job \(number) of \(job.recipients.count) recipients has \(names.count) ids, told under each: \(told)"
            if job.tellsAllByName, told.contains(where: { $0 < job.recipients.count }) {
                findings.append(Finding(.namedOnce, nil, text))
            } else if names.count > job.messages,
                !disturbances.mayLoseWorker(from: job.published, to: begun[number] ?? job.published)
            {
                severalNames.append(Finding(.namedOnce, nil, text))
            }
        }
        // A kill may come while the job is already being sent, but not yet acknowledged by the worker that assigned its
        // ID.
        if severalNames.count > disturbances.killsWhileSplitting / 4 { findings += severalNames }
    }

    // MARK: Workers

    mutating func judgeWorkers(_ record: TortureRecord, _ disturbances: Disturbances) {
        for suspect in record.suspects {
            let job = suspect.job.flatMap { record.jobs[$0] }
            let times = job.map { disturbances.redeliveries(from: $0.published, to: suspect.received) } ?? 0
            guard times < Self.deliveriesUntilSuspect else { continue }
            findings.append(
                Finding(
                    .suspectsEarned, nil,
                    "job \(suspect.job.map { "\($0)" } ?? "without a number") was set apart after \(times) faults"))
        }
        findings += record.timeouts.map { Finding(.acknowledgedInTime, nil, $0) }
        for join in record.joins {
            guard let ready = join.ready else {
                findings.append(Finding(.latecomersWork, nil, "worker \(join.worker) did not start"))
                continue
            }
            let time = join.firstOutcome.map { $0 - ready }
            // The flood was over before the worker could send any of it.
            if time == nil, join.left == 0 { continue }
            guard let time, time <= Self.joiningTakes else {
                findings.append(
                    Finding(
                        .latecomersWork, nil,
                        "worker \(join.worker) had sent nothing, with \(join.left) of the flood left"))
                continue
            }
        }
    }
}

extension JobRecord {
    /// Whether all outcomes are reported under the generated ID. A job with a deadline may expire before it is split.
    fileprivate var tellsAllByName: Bool { !traits.wantsProblemsOnly && traits.expireAfter == nil }
}
