extension Verdict {
    /// The maximum size of a result event's body, in bytes (docs/consume.md).
    private static let largestEvent = 262_144
    /// The number of deliveries after which a worker moves a job to the suspects queue.
    private static let deliveriesUntilSuspect = 5
    /// The time that a new worker has for its first push and the answer to it on a busy machine, in milliseconds.
    package static let joiningTakes: Int64 = 8_000

    /// The arrivals of one result event. Times are in milliseconds since 1970.
    private struct Event {
        let recipient: RecipientID
        /// The time of the first publication, estimated by the latest outcome in the event. The event may arrive much
        /// later if the broker was unavailable.
        var first: Int64
        /// The time of the last arrival.
        var last: Int64
        /// The times of the repeated arrivals. An arrival adds the same time for each of its outcomes, and counts once.
        var again: Set<Int64> = []
    }

    // MARK: Events

    mutating func judgeEvents(_ record: TortureRecord, _ disturbances: Disturbances) {
        if record.largestEvent > Self.largestEvent {
            findings.append(Finding(.eventsBounded, nil, "an event has \(record.largestEvent) bytes"))
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
                        .repeatedEventsExplained, event.recipient, "event \(number) repeated without a disturbance"))
            }
            return
        }
        let most = refusals + disturbances.disturbances(from: event.first - 1_000, to: event.last + 1_000)
        guard event.again.count > most else { return }
        findings.append(
            Finding(
                .repeatedEventsBounded, event.recipient,
                "event \(number) was repeated \(event.again.count) times in \(event.last - event.first) ms, at most \(most)"
            ))
    }

    // MARK: Workers

    mutating func judgeWorkers(_ record: TortureRecord, _ disturbances: Disturbances) {
        for suspect in record.suspects {
            let job = suspect.job.flatMap { record.jobs[$0] }
            let times = job.map { disturbances.redeliveries(from: $0.published, to: suspect.received) } ?? 0
            guard times < Self.deliveriesUntilSuspect else { continue }
            findings.append(
                Finding(
                    .suspectsJustified, nil,
                    "job \(suspect.job.map { "\($0)" } ?? "without a number") became a suspect after \(times) faults"))
        }
        findings += record.timeouts.map { Finding(.acknowledgedInTime, nil, $0) }
        for join in record.joins {
            guard let ready = join.ready else {
                findings.append(Finding(.latecomersWork, nil, "worker \(join.worker) did not start"))
                continue
            }
            let time = join.firstOutcome.map { $0 - ready }
            // The load had ended before the worker could send any part of it.
            if time == nil, join.left == 0 { continue }
            guard let time, time <= Self.joiningTakes else {
                findings.append(
                    Finding(
                        .latecomersWork, nil,
                        "worker \(join.worker) had sent nothing while \(join.left) recipients of the load were left"))
                continue
            }
        }
    }
}
