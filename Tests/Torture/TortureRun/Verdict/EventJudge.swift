/// The judge of result events: their size, and the causes of repeated events.
struct EventJudge {
    /// The maximum size of a result event's body, in bytes (docs/consume.md).
    private static let largestEvent = 262_144
    /// The time by which a fault may precede an event's last outcome, or follow its last arrival, in milliseconds.
    private static let margin: Int64 = 1_000

    /// The arrivals of one result event. Times are in milliseconds since 1970.
    private struct Event {
        let recipient: RecipientID
        /// The number of the worker that published the event, or `nil` if any worker may have published it. An event
        /// whose tokens cannot be marked waits in a delay queue, from which any worker may receive it.
        let worker: Int?
        /// The time of the first publication, estimated by the latest outcome in the event. The event may arrive much
        /// later if the broker was unavailable.
        var first: Int64
        /// The time of the last arrival.
        var last: Int64
        /// The times of the repeated arrivals. An arrival adds the same time for each of its outcomes, and counts once.
        var again: Set<Int64> = []

        init(_ outcome: OutcomeRecord) {
            recipient = outcome.recipient
            worker = outcome.kind == "unregistered" ? nil : JobLife.number(of: outcome.worker)
            (first, last) = (outcome.at, outcome.received)
        }
    }

    private(set) var findings: [Finding] = []

    init(_ record: TortureRecord, _ disturbances: Disturbances) {
        if record.largestEvent > Self.largestEvent {
            findings.append(Finding(.eventsBounded, nil, "an event has \(record.largestEvent) bytes"))
        }
        var events: [Int: Event] = [:]
        for outcome in record.outcomes {
            var event = events[outcome.event] ?? Event(outcome)
            event.first = max(event.first, outcome.at)
            if outcome.isRepeated {
                event.again.insert(outcome.received)
                event.last = max(event.last, outcome.received)
            }
            events[outcome.event] = event
        }
        for (number, event) in events.sorted(by: { $0.key < $1.key }) where !event.again.isEmpty {
            judge(event, number, disturbances)
        }
    }

    private mutating func judge(_ event: Event, _ number: Int, _ disturbances: Disturbances) {
        let (start, end) = (event.first - Self.margin, event.last + Self.margin)
        let refusals = disturbances.refusals(of: event.first)
        guard refusals > 0 else {
            if !disturbances.mayRepeatEvent(of: event.worker, from: start, to: event.last) {
                let text = "event \(number) repeated, and no fault hit its worker or the broker"
                findings.append(Finding(.repeatedEventsExplained, event.recipient, text))
            }
            return
        }
        let most = refusals + disturbances.disturbances(from: start, to: end)
        guard event.again.count > most else { return }
        findings.append(
            Finding(
                .repeatedEventsBounded, event.recipient,
                "event \(number) was repeated \(event.again.count) times in \(event.last - event.first) ms, at most \(most)"
            ))
    }
}
