package import AMQPClient
package import Contract
import Foundation
package import PushModel

/// A factory of the messages that the pipeline publishes. Each message has a unique id, to which the broker's confirm
/// refers.
package struct OutboundMessages {
    private let names: PipelineNames
    private let worker: String
    private let user: String?
    /// Whether a result event can be delayed or dead-lettered. Without a known broker user, the message could not be
    /// distinguished from a forged one.
    var canDelayEvents: Bool { user != nil }
    /// The maximum size of routing keys and text properties, in bytes (AMQP 0-9-1, section 4.2.5.3, short strings). A
    /// message with a longer string cannot be published, so its job would be dead-lettered.
    private static let maximumTextBytes = 255
    /// The maximum size of a reason, in bytes. All headers of a message must fit in one frame, and a reason may repeat
    /// names of any length from the job.
    private static let maximumReasonBytes = 2_000
    private let incarnation: String
    private var lastID: UInt64 = 0

    /// Creates the factory.
    ///
    /// - Parameters:
    ///   - user: the broker user that the worker publishes as, or `nil` if the broker does not validate users.
    ///   - incarnation: a random prefix that makes message ids unique across restarts.
    package init(
        names: PipelineNames, worker: String, user: String? = nil,
        incarnation: String = UUID().uuidString.lowercased()
    ) {
        self.incarnation = incarnation
        self.names = names
        self.worker = worker
        self.user = user
    }

    /// Returns a new id, for a message or for a database statement.
    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Returns the broker user that published a job, or `nil` if the broker has not validated the user.
    func publisher(of inbound: InboundJob) -> String? { inbound.publisher(worker: user) }

    package mutating func event(
        _ batch: consuming EventBatch, reportsUnroutable: Bool = false, now: Timestamp
    ) -> AMQPPublication {
        let key = batch.key
        return event(
            routingKey: key.routingKey, type: "martlet.\(key.output).\(key.kind.rawValue)", app: key.app,
            trace: key.trace, body: batch.finish(), reportsUnroutable: reportsUnroutable, now: now)
    }

    package mutating func event(_ rejection: JobRejection, trace: TraceHeaders?, now: Timestamp) -> AMQPPublication {
        var writer = JSONObjectWriter(capacity: 512)
        writer.member("kind", string: "job.rejected")
        if let app = rejection.app { writer.member("app", string: app) }
        writer.member("worker", string: worker)
        if let id = rejection.jobID { writer.member("job", string: id) }
        writer.array("errors") { output in
            for (index, fault) in rejection.faults.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                var writer = JSONObjectWriter(capacity: 128)
                writer.member("field", string: fault.field)
                writer.member("problem", string: fault.problem)
                output.append(contentsOf: writer.finish())
            }
        }
        writer.member("at", string: now.rfc3339)
        return event(
            routingKey: "job.rejected.\(rejection.app ?? "unknown")", type: "martlet.job.rejected",
            app: rejection.app, trace: trace, body: writer.finish(), now: now)
    }

    /// Returns the message that publishes a delayed result event to the results exchange.
    mutating func event(_ held: DelayedEvent) -> AMQPPublication {
        let event = held.event
        return AMQPPublication(
            id: nextID(), exchange: event.exchange, routingKey: event.routingKey, properties: event.properties,
            body: event.body)
    }

    /// Returns the message that delays or dead-letters a result event, or `nil` if the worker's user is unknown.
    /// Without a user, the message could not be distinguished from a forged one.
    ///
    /// - Parameters:
    ///   - id: the id of the message that is replaced, or `nil` for a new id.
    ///   - reason: the reason for dead-lettering the event, for operators to read, or `nil` to delay the event.
    mutating func waiting(_ held: DelayedEvent, id: UInt64?, reason: String? = nil) -> AMQPPublication? {
        guard let user else { return nil }
        let delay = names.delay(
            seconds: RefusalBackoff.seconds(afterFailures: held.failures, isForDatabase: held.needsMarks))
        return held.publication(
            id: id ?? nextID(), exchange: reason == nil ? delay : names.dead, user: user, reason: reason)
    }

    /// Returns the message that dead-letters a job, with an unchanged body.
    ///
    /// - Parameters:
    ///   - part: a new name for the job if the old one is claimed, or `nil`. With the old name, a replay of the job
    ///     would be treated as a duplicate.
    ///   - trace: the trace headers, or `nil` to keep the trace headers of the message.
    package mutating func dead(
        _ inbound: InboundJob, reason: String, part: String? = nil, trace: TraceHeaders? = nil
    ) -> AMQPPublication {
        var properties = inbound.carriedProperties
        properties.headers.add(trace)
        if inbound.wasSentBefore { properties.headers[JobHeader.redelivered] = true }
        properties.sign(as: user, for: inbound.publisher(worker: user))
        // A replayed job waits for its rate limit from the beginning.
        for header in JobHeader.turn { properties.headers[header] = nil }
        properties.headers[JobHeader.reason] = .string(reason.cut(toBytes: Self.maximumReasonBytes))
        name(&properties, part, inbound)
        return AMQPPublication(
            id: nextID(), exchange: names.dead, routingKey: inbound.deadKey, isMandatory: true,
            properties: properties, body: inbound.delivery.body, repeatHeader: JobHeader.redelivered)
    }

    /// Returns the message that dead-letters a refused message, under the same id.
    func dead(_ refused: AMQPPublication, lane: Lane, reason: String) -> AMQPPublication {
        var properties = refused.properties
        properties.headers[JobHeader.reason] = .string(reason.cut(toBytes: Self.maximumReasonBytes))
        properties.headers[JobHeader.lane] = nil
        return AMQPPublication(
            id: refused.id, exchange: names.dead, routingKey: lane.rawValue, isMandatory: true, properties: properties,
            body: refused.body, repeatHeader: refused.repeatHeader)
    }

    /// Sets the headers for a job's name. A new name has no claim yet. If the name stays the same, a header states
    /// whether an existing claim may be the job's own.
    private func name(_ properties: inout AMQPProperties, _ part: String?, _ inbound: InboundJob) {
        if let part {
            properties.headers[JobHeader.part] = .string(part)
            properties.headers[JobHeader.claim] = nil
        }
        properties.headers[JobHeader.deliveredBefore] = part == nil && inbound.comesAgain ? true : nil
    }

    /// The destination of a job that a worker publishes.
    package enum Destination: Sendable, Hashable {
        /// The lane's queue for returned jobs.
        case returned
        /// The lane's waiting queue with this number.
        case waiting(Int)
        case suspects
        /// The lane's queue for returned jobs, after a delay in seconds.
        case delay(seconds: Int)
    }

    /// A message that a worker makes from a job: a chunk, or the recipients that are left for another attempt.
    package struct Part {
        let job: Job
        let body: [UInt8]
        let lane: Lane
        let attempt: Int
        let firstAttempt: Timestamp?
        let redelivered: Bool
        /// The time at which the job was published, as in ``InboundJob/since``, or `nil` if it is unknown.
        let since: Timestamp?
        /// The name of the part, which identifies duplicates of the part.
        let name: String
        /// Whether the part is a chunk. If not, it has the recipients that need another attempt.
        let isChunk: Bool
        let publisher: String?
        let trace: TraceHeaders?

        package init(
            job: Job, body: [UInt8], lane: Lane, attempt: Int, firstAttempt: Timestamp? = nil, redelivered: Bool,
            since: Timestamp? = nil, name: String, isChunk: Bool = false, publisher: String? = nil,
            trace: TraceHeaders? = nil
        ) {
            self.job = job
            self.body = body
            self.lane = lane
            self.attempt = attempt
            self.firstAttempt = firstAttempt
            self.redelivered = redelivered
            self.since = since
            self.name = name
            self.isChunk = isChunk
            self.publisher = publisher
            self.trace = trace
        }
    }

    /// Returns the message for a part. If the job's id is too long for the property `message_id`, it is only in the
    /// body.
    package mutating func part(_ part: Part, to destination: Destination) -> AMQPPublication {
        let job = part.job
        var headers: AMQPFieldTable = [
            JobHeader.attempt: .int64(Int64(part.attempt)), JobHeader.part: .string(part.name),
        ]
        if let firstAttempt = part.firstAttempt { headers[JobHeader.firstAttempt] = .int64(firstAttempt.milliseconds) }
        if let since = part.since { headers[JobHeader.since] = .int64(since.milliseconds) }
        if part.isChunk { headers[JobHeader.chunk] = true }
        if part.redelivered { headers[JobHeader.redelivered] = true }
        headers.add(part.trace)
        var properties = AMQPProperties(
            contentType: "application/json", headers: headers,
            messageID: job.id.utf8.count <= Self.maximumTextBytes ? job.id : nil)
        properties.sign(as: user, for: part.publisher)
        return publication(body: part.body, lane: part.lane, to: destination, properties)
    }

    /// Returns the message that publishes a job in its original form to a queue of the workers, which may be the queue
    /// that it came from.
    ///
    /// - Parameters:
    ///   - waitingSince: the time since which the job has waited for the rate limit of its app, or `nil` if
    ///     the job does not wait for that limit.
    ///   - part: a new name for the job if the old one is claimed, or `nil` to keep the name.
    ///   - claimedBy: the owner of a claim request that was not answered, or `nil` to keep an owner in the message.
    ///   - trace: the trace headers, or `nil` to keep the trace headers of the message.
    ///   - slot: the time slot of the job, or `nil` to keep a slot in the message.
    ///   - paced: the total time that the job will have waited in delay queues for its turn, in seconds, or `nil` to
    ///     keep it.
    package mutating func moved(
        _ inbound: InboundJob, to destination: Destination, firstAttempt: Timestamp? = nil,
        waitingSince: Timestamp? = nil, part: String? = nil,
        claimedBy: String? = nil, trace: TraceHeaders? = nil,
        slot: RateLimiter.Slot? = nil, paced: Int? = nil
    ) -> AMQPPublication {
        var properties = movedProperties(inbound, part: part)
        properties.headers.add(trace)
        // If the job no longer waits for the rate limit, the time that it waited is added to the time of the first
        // attempt.
        let hasWaited = waitingSince == nil && inbound.waitingSince != nil && inbound.hasBeenTried
        if let firstAttempt = firstAttempt ?? (hasWaited ? inbound.firstAttempt(now: inbound.arrivedAt) : nil) {
            properties.headers[JobHeader.firstAttempt] = .int64(firstAttempt.milliseconds)
        }
        properties.headers[JobHeader.waitingSince] = waitingSince.map { .int64($0.milliseconds) }
        if let slot {
            properties.headers[JobHeader.slot] = .int64(slot.due.milliseconds)
            properties.headers[JobHeader.slotRate] = .int64(Int64(slot.rate))
        }
        if let paced { properties.headers[JobHeader.paced] = .int64(Int64(paced)) }
        if let claimedBy { properties.headers[JobHeader.claim] = .string(claimedBy) }
        return publication(body: inbound.delivery.body, lane: inbound.lane, to: destination, properties)
    }

    /// Returns the message that publishes a job again under a new name, which the job needs before it is split. If the
    /// job is split again after a crash, the same chunks result. A job without an id also gets an id.
    mutating func named(
        _ inbound: InboundJob, _ job: Job, chunkSize: Int, trace: TraceHeaders?
    ) -> AMQPPublication {
        var properties = movedProperties(inbound, part: newPartName())
        properties.headers.add(trace)
        properties.headers[JobHeader.chunkSize] = .int64(Int64(chunkSize))
        if !job.hasGivenID { properties.messageID = job.id }
        return publication(body: inbound.delivery.body, lane: inbound.lane, to: .returned, properties)
    }

    private func movedProperties(_ inbound: InboundJob, part: String?) -> AMQPProperties {
        var properties = inbound.carriedProperties
        if inbound.wasSentBefore { properties.headers[JobHeader.redelivered] = true }
        properties.sign(as: user, for: inbound.publisher(worker: user))
        name(&properties, part, inbound)
        properties.headers[JobHeader.lane] = nil
        properties.headers[JobHeader.since] = .int64(inbound.since.milliseconds)
        return properties
    }

    private mutating func publication(
        body: [UInt8], lane: Lane, to destination: Destination, _ properties: AMQPProperties
    ) -> AMQPPublication {
        var properties = properties
        if destination == .suspects { properties.headers[JobHeader.lane] = .string(lane.rawValue) }
        let (exchange, routingKey) =
            switch destination {
            case .returned: (names.moved, PipelineNames.returningKey(to: lane))
            case .waiting(let number): (names.moved, PipelineNames.movingKey(to: .waiting(lane, number)) ?? "")
            case .suspects: (names.moved, PipelineNames.movingKey(to: .suspects) ?? "")
            case .delay(let seconds): (names.delay(seconds: seconds), PipelineNames.returningKey(to: lane))
            }
        return AMQPPublication(
            id: nextID(), exchange: exchange, routingKey: routingKey, isMandatory: true, properties: properties,
            body: body, repeatHeader: JobHeader.redelivered)
    }

    /// Returns a unique name for a part.
    mutating func newPartName() -> String { "\(incarnation)-\(nextID())" }

    /// Returns an event as CloudEvents 1.0 in binary mode: the attributes are headers, and the body is the event's
    /// data.
    private mutating func event(
        routingKey: String, type: String, app: String?, trace: TraceHeaders?, body: [UInt8],
        reportsUnroutable: Bool = false, now: Timestamp
    ) -> AMQPPublication {
        let id = nextID()
        let messageID = "\(incarnation)-\(id)"
        var headers: AMQPFieldTable = [
            "cloudEvents:specversion": "1.0", "cloudEvents:id": .string(messageID),
            "cloudEvents:source": .string("/martlet/\(worker)"), "cloudEvents:type": .string(type),
            "cloudEvents:time": .string(now.rfc3339),
        ]
        headers.add(trace)
        return AMQPPublication(
            id: id, exchange: names.results, routingKey: routingKey, reportsUnroutable: reportsUnroutable,
            properties: AMQPProperties(
                contentType: "application/json", headers: headers, messageID: messageID,
                timestamp: UInt64(max(0, now.seconds)), type: type, appID: "martlet"),
            body: body)
    }
}

extension AMQPFieldTable {
    /// Replaces the trace headers, or keeps them if `trace` is `nil`.
    fileprivate mutating func add(_ trace: TraceHeaders?) {
        guard let trace else { return }
        self[JobHeader.traceparent] = .string(trace.traceparent)
        self[JobHeader.tracestate] = trace.tracestate.map { .string($0) }
    }
}
