package import Contract
package import PushModel

/// A collector of outcomes that groups them into result events.
package struct EventBatcher {
    /// The size at or above which an event is full, in bytes. Outcomes rarely exceed 8 KiB, so an event has about
    /// 256 KiB at most. That is far below RabbitMQ's default limit (`max_message_size`, 16 MiB from version 4 on).
    static let enoughBytes = 262_144 - 8_192

    private let worker: String
    private let maximumOutcomes: Int
    private var batches: [EventBatch] = []
    /// The indices of the unfinished events in ``batches``, by key.
    private var places: [EventKey: Int] = [:]
    /// The last job and kind, with the index of their event. Consecutive outcomes often have the same job and kind, so
    /// the key need not be hashed.
    private var last: (job: RoutedJob, kind: OutcomeKind, place: Int)?

    package init(worker: String, maximumOutcomes: Int) {
        self.worker = worker
        self.maximumOutcomes = maximumOutcomes
    }

    package var isEmpty: Bool { batches.isEmpty }

    /// Adds an outcome. Returns the event that contains the outcome if that event is now full, and `nil` otherwise.
    package mutating func add(
        _ outcome: Outcome, as kind: OutcomeKind, reason: String?, detail: String?
    ) -> EventBatch? {
        let place = place(of: outcome.job, kind)
        batches[place].append(outcome, reason: reason, detail: detail)
        guard batches[place].count >= maximumOutcomes || batches[place].bytes >= Self.enoughBytes else { return nil }
        let full = batches[place]
        batches[place] = EventBatch(key: full.key, worker: worker)
        return full
    }

    /// Removes and returns all events that have outcomes.
    package mutating func flush() -> [EventBatch] {
        let all = batches.filter { $0.count > 0 }
        batches.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        last = nil
        return all
    }

    private mutating func place(of job: RoutedJob, _ kind: OutcomeKind) -> Int {
        if let last, last.job === job, last.kind == kind { return last.place }
        let key = EventKey(
            kind: kind, output: job.job.output, app: job.job.app, environment: job.environment,
            trace: job.trace)
        let place: Int
        if let known = places[key] {
            place = known
        } else {
            batches.append(EventBatch(key: key, worker: worker))
            place = batches.count - 1
            places[key] = place
        }
        last = (job, kind, place)
        return place
    }
}
