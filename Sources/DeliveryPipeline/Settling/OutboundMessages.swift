package import AMQPClient
import Foundation
package import PushModel

/// Makes the messages the pipeline publishes. Each has an id of its own, by which its confirm is known.
package struct OutboundMessages {
    private let names: PipelineNames
    private let worker: String
    private let user: String?
    /// AMQP's limit on routing keys and on properties of text (AMQP 0-9-1, section 4.2.5.3, short strings). A
    /// message beyond it would be refused for ever, and its job never be done.
    private static let maximumTextBytes = 255
    /// All headers of a message travel in one frame; a reason repeats names from the job, of any length.
    private static let maximumReasonBytes = 2_000
    /// Makes message ids unique over restarts.
    private let incarnation = UUID().uuidString.lowercased()
    private var lastID: UInt64 = 0

    /// - Parameter user: the broker's user that the worker publishes as, if the broker is to validate it.
    package init(names: PipelineNames, worker: String, user: String? = nil) {
        self.names = names
        self.worker = worker
        self.user = user
    }

    /// An id for a group of the ledger.
    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Returns the user who published a job, if the broker has validated it.
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

    /// An event that has waited.
    mutating func event(_ held: HeldEvent) -> AMQPPublication {
        let event = held.event
        return AMQPPublication(
            id: nextID(), exchange: event.exchange, routingKey: event.routingKey, properties: event.properties,
            body: event.body)
    }

    /// The message that an event waits in.
    ///
    /// - Parameters:
    ///   - id: that of the group it stands for; nil: a new one.
    ///   - reason: it is given up, for a person to find.
    /// - Returns: nil where the worker's user is not known, and nobody could tell it from a forged one.
    mutating func waiting(_ held: HeldEvent, id: UInt64?, reason: String? = nil) -> AMQPPublication? {
        guard let user else { return nil }
        let delay = names.delay(
            seconds: RefusalLadder.seconds(afterFailures: held.failures, isForDatabase: held.needsMarks))
        return held.publication(
            id: id ?? nextID(), exchange: reason == nil ? delay : names.dead, user: user, reason: reason)
    }

    /// A job that can't be used, its body untouched.
    /// - Parameters:
    ///   - part: its new name, if its old one is claimed: replayed, it must not be taken for its own duplicate.
    ///   - trace: what it carries on; nil: what it has brought.
    package mutating func dead(
        _ inbound: InboundJob, reason: String, part: String? = nil, trace: TraceHeaders? = nil
    ) -> AMQPPublication {
        var properties = inbound.carriedProperties
        properties.headers.add(trace)
        if inbound.wasSentBefore { properties.headers[JobHeader.redelivered] = true }
        properties.sign(as: user, for: inbound.publisher(worker: user))
        // Replayed, it waits anew.
        for header in JobHeader.turn { properties.headers[header] = nil }
        properties.headers[JobHeader.reason] = .string(reason.cut(toBytes: Self.maximumReasonBytes))
        name(&properties, part, inbound)
        return AMQPPublication(
            id: nextID(), exchange: names.dead, routingKey: inbound.deadKey, isMandatory: true,
            properties: properties, body: inbound.delivery.body, repeatHeader: JobHeader.redelivered)
    }

    /// What another queue would not take, under its own id.
    func dead(_ refused: AMQPPublication, lane: Lane, reason: String) -> AMQPPublication {
        var properties = refused.properties
        properties.headers[JobHeader.reason] = .string(reason.cut(toBytes: Self.maximumReasonBytes))
        properties.headers[JobHeader.lane] = nil
        return AMQPPublication(
            id: refused.id, exchange: names.dead, routingKey: lane.rawValue, isMandatory: true, properties: properties,
            body: refused.body, repeatHeader: refused.repeatHeader)
    }

    /// A job whose name nobody has claimed yet begins anew; another says which claim may be its own.
    private func name(_ properties: inout AMQPProperties, _ part: String?, _ inbound: InboundJob) {
        if let part {
            properties.headers[JobHeader.part] = .string(part)
            properties.headers[JobHeader.claim] = nil
        }
        properties.headers[JobHeader.deliveredBefore] = part == nil && inbound.comesAgain ? true : nil
    }

    /// Where a job goes that a worker publishes.
    package enum Destination: Sendable, Hashable {
        /// Back to the publishers' queue of its lane.
        case lane
        case overflow
        case suspects
        /// The lane's queue, so many seconds later.
        case delay(seconds: Int)
    }

    /// What a worker has made of a job: a chunk of it, or what is left of it for another attempt.
    package struct Part {
        let job: Job
        let body: [UInt8]
        let lane: Lane
        let attempt: Int
        let firstAttempt: Timestamp?
        let redelivered: Bool
        /// As ``InboundJob/since``.
        let since: Timestamp?
        /// By which this part is known if it comes twice.
        let name: String
        /// A chunk, rather than what is left for another attempt.
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

    /// An id too long for a message id came in the body, where it still is.
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

    /// A job as it came, to another of the workers' queues.
    /// - Parameters:
    ///   - part: its new name, if its old one is claimed.
    ///   - claimedBy: who has asked to claim its name and has not heard.
    ///   - trace: as with ``dead(_:reason:part:trace:)``.
    ///   - slot: when its turn is.
    ///   - paced: for how many seconds it will have waited for that.
    package mutating func moved(
        _ inbound: InboundJob, to destination: Destination, firstAttempt: Timestamp? = nil, part: String? = nil,
        claimedBy: String? = nil, trace: TraceHeaders? = nil,
        slot: Pacer.Slot? = nil, paced: Int = 0
    ) -> AMQPPublication {
        var properties = movedProperties(inbound, part: part)
        properties.headers.add(trace)
        if let firstAttempt { properties.headers[JobHeader.firstAttempt] = .int64(firstAttempt.milliseconds) }
        if let slot {
            properties.headers[JobHeader.slot] = .int64(slot.due.milliseconds)
            properties.headers[JobHeader.slotRate] = .int64(Int64(slot.rate))
            properties.headers[JobHeader.paced] = .int64(Int64(paced))
        }
        if let claimedBy { properties.headers[JobHeader.claim] = .string(claimedBy) }
        return publication(body: inbound.delivery.body, lane: inbound.lane, to: destination, properties)
    }

    /// A job that is to be split, under a name of its own: whoever splits it, and splits it again after a crash, makes
    /// the same chunks. A job without an id gets one, too.
    mutating func named(
        _ inbound: InboundJob, _ job: Job, chunkSize: Int, trace: TraceHeaders?
    ) -> AMQPPublication {
        var properties = movedProperties(inbound, part: newPartName())
        properties.headers.add(trace)
        properties.headers[JobHeader.chunkSize] = .int64(Int64(chunkSize))
        if !job.hasGivenID { properties.messageID = job.id }
        return publication(body: inbound.delivery.body, lane: inbound.lane, to: .lane, properties)
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
            case .lane: (names.jobs, lane.rawValue)
            case .overflow: (names.moved, PipelineNames.movingKey(to: .overflow(lane)) ?? "")
            case .suspects: (names.moved, PipelineNames.movingKey(to: .suspects) ?? "")
            case .delay(let seconds): (names.delay(seconds: seconds), lane.rawValue)
            }
        return AMQPPublication(
            id: nextID(), exchange: exchange, routingKey: routingKey, isMandatory: true, properties: properties,
            body: body, repeatHeader: JobHeader.redelivered)
    }

    /// A name for a part that nothing else has.
    mutating func newPartName() -> String { "\(incarnation)-\(nextID())" }

    /// CloudEvents 1.0 in binary mode: the attributes are headers, the body is the event's data.
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
    /// In the place of what stands there; nil: that stays.
    fileprivate mutating func add(_ trace: TraceHeaders?) {
        guard let trace else { return }
        self[JobHeader.traceparent] = .string(trace.traceparent)
        self[JobHeader.tracestate] = trace.tracestate.map { .string($0) }
    }
}
