extension Verdict {
    /// Bytes of an event's body (docs/consume.md).
    private static let largestEvent = 262_144
    /// A job of more recipients is split by every worker, whatever its settings.
    private static let mostUnsplit = 1_000
    /// Deliveries after which a job is set apart.
    private static let deliveriesUntilSuspect = 5
    /// Milliseconds that a worker which joins has for its first push, and the answer to it, on a busy machine.
    package static let joiningTakes: Int64 = 15_000

    private struct Event {
        let recipient: RecipientID
        /// When it was published for the first time, by its latest outcome: it may come far later, if the broker was
        /// away.
        var first: Int64
        var last: Int64
        /// When it came again. Its outcomes don't tell how often: one recipient may have several.
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

    /// A worker that dies while it gives a job its name may have given two, and no other does. The broker has the whole
    /// job under each; what was split without a name comes under one as far as it was split.
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
        // One may be hit while its first worker has not let go of it, though it is being sent already.
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
            // Nothing was left for it.
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
    /// Every outcome is told, and none before the job is split, as when its time is up.
    fileprivate var tellsAllByName: Bool { !traits.wantsProblemsOnly && traits.expireAfter == nil }
}
