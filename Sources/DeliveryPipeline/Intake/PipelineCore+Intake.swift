import AMQPClient
import Foundation
import Logging
import PushModel

extension PipelineCore {
    /// Decodes a delivery and lets it wait for its turn.
    func arrive(_ delivery: AMQPDelivery) {
        guard let inbound = InboundJob(delivery, at: now, worker: configuration.brokerUser) else { return }
        scheduler.arrived(delivery.tag, from: inbound.queue)
        if inbound.drop?.isOurs == true { return leaveToBroker(inbound) }
        if let held = heldEvent(inbound) { return resume(held, open(inbound)) }
        // By another exchange than the one that did not know its lane.
        if inbound.drop?.isEarly == true { return move(open(inbound), to: .overflow) }
        if let drop = inbound.drop { return reject(open(inbound), as: drop) }
        do throws(JobRejection) {
            // First of all: whatever else is to become of it, it is published once more, and has to fit into a frame.
            try checkHeaders(inbound)
            if inbound.earlierDeliveries >= PipelineConfiguration.suspicion, inbound.queue != .suspects {
                counts.jobsSuspected += 1
                return move(open(inbound), to: .suspects)
            }
            if isDraining { return move(open(inbound), to: inbound.home) }
            scheduler.append(try decode(inbound), inbound)
        } catch {
            reject(open(inbound), error)
        }
    }

    @discardableResult
    func open<Open: OpenJob>(_ job: Open) -> Open {
        job.entry = outbox.ledger.open(job, obligations: 1)
        return job
    }

    func open(_ inbound: InboundJob) -> OpenJob { open(OpenJob(inbound)) }

    private func checkHeaders(_ inbound: InboundJob) throws(JobRejection) {
        let delivery = inbound.delivery
        if let problem = delivery.problem { throw rejection(of: inbound, field: "headers", problem) }
        guard !delivery.properties.headers.isEmpty else { return }
        let (size, limit) = (delivery.properties.headers.wireSize, PipelineConfiguration.maximumHeaderBytes)
        guard size <= limit else {
            throw JobRejection(
                jobID: delivery.properties.messageID, app: nil,
                faults: [
                    .init(
                        field: "headers",
                        problem: "have \(size) bytes, more than the \(limit) that a job's headers may have")
                ])
        }
    }

    private func decode(_ inbound: InboundJob) throws(JobRejection) -> Job {
        try configuration.decode(
            inbound.delivery.body, messageID: inbound.delivery.properties.messageID,
            traceparent: inbound.traceparent, now: now, makeID: { UUID().uuidString.lowercased() })
    }

    /// Publishes a job as it came to another of the workers' queues.
    func move(_ open: OpenJob, to destination: OutboundMessages.Destination, firstAttempt: Timestamp? = nil) {
        release(open)
        let publication = outbox.messages.moved(
            open.inbound, to: destination, firstAttempt: firstAttempt,
            part: open.hasClaim ? outbox.messages.newPartName() : nil)
        outbox.publish(publication, isMove: !open.isOnce, meeting: [outbox.ledger.rest(of: open.entry)])
    }

    /// The broker has taken it out of its queue by itself.
    private func reject(_ open: OpenJob, as drop: Drop) {
        reject(open, rejection(of: open.inbound, field: "message", drop.reason))
    }

    /// The message goes to the dead-letter exchange as it came, and an event says why.
    func reject(_ open: OpenJob, _ rejection: JobRejection) {
        release(open)
        counts.jobsRejected += 1
        logger.warning(
            "A job was rejected", metadata: ["job": "\(rejection.jobID ?? "-")", "reason": "\(rejection)"])
        let publication = outbox.messages.dead(
            open.inbound, reason: rejection.description, part: open.hasClaim ? outbox.messages.newPartName() : nil)
        outbox.publish(publication, meeting: [outbox.ledger.rest(of: open.entry)])
        outbox.ledger.oweMore(open.entry)
        tell(rejection, of: open)
    }

    /// Publishes the event that a job can't be used, which is one of its obligations.
    func tell(_ rejection: JobRejection, of open: OpenJob) {
        let event = outbox.messages.event(rejection, traceparent: open.inbound.traceparent, now: now)
        outbox.publish(
            event, event: HeldEvent(event, lane: open.inbound.lane, since: now),
            meeting: [.init(entry: open.entry, count: 1)])
    }

    /// Of a message whose job is not known, as far as can be told.
    func rejection(of inbound: InboundJob, field: String, _ problem: String) -> JobRejection {
        let (id, app) = names(of: inbound)
        return JobRejection(jobID: id, app: app, faults: [.init(field: field, problem: problem)])
    }

    /// Whose job it is, for the event. A body that was looked at before, and the worker was gone, is not looked at again.
    private func names(of inbound: InboundJob) -> (id: String?, app: String?) {
        let delivery = inbound.delivery
        let messageID = delivery.properties.messageID
        guard !inbound.wasLookedAt, delivery.body.count <= configuration.limits.maximumJobBytes else {
            return (messageID, nil)
        }
        do throws(JobRejection) {
            let job = try JobDecoder.decode(
                delivery.body, messageID: messageID,
                limits: JobLimits(recipients: configuration.limits.maximumRecipients, now: now), makeID: { "" })
            return (job.hasGivenID ? job.id : nil, job.app)
        } catch {
            return (error.jobID, error.app)
        }
    }
}
