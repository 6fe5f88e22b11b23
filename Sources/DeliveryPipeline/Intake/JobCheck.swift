import AMQPClient
import Contract
package import PushModel

extension PipelineConfiguration {
    /// Decodes a message body, and checks everything that does not depend on apps or outputs.
    ///
    /// - Parameters:
    ///   - messageID: the message's `message_id` property, which is the job's id if the body has none.
    ///   - makeID: a closure that creates an id if neither the body nor `messageID` contains one.
    package func decode(
        _ body: [UInt8], messageID: String?, now: Timestamp, makeID: () -> String
    ) throws(JobRejection) -> Job {
        guard body.count <= limits.maximumJobBytes else {
            throw JobRejection(
                jobID: messageID, app: nil,
                faults: [
                    .init(
                        field: "body",
                        problem: "has \(body.count) bytes, more than jobs.maximum_bytes = \(limits.maximumJobBytes)")
                ])
        }
        let job = try JobDecoder.decode(
            body, messageID: messageID,
            limits: JobLimits(recipients: limits.maximumRecipients, now: now), makeID: makeID)
        // A second copy of the job can only be recognized by the id.
        if job.atMostOnce, !job.hasGivenID {
            throw job.rejected("id", "is required with at_most_once, in the job or as the message's message_id")
        }
        if let sendAt = job.sendAt, sendAt.seconds - now.seconds > ScheduleDelays.horizon {
            throw job.rejected("send_at", "is more than \(ScheduleDelays.horizon / 86_400) days ahead")
        }
        return job
    }
}

extension PipelineConfiguration {
    /// Checks everything that does not depend on the body: the headers, and whether the broker dropped the message.
    ///
    /// - Throws: `JobRejection` if the broker dropped the message, or if the headers are invalid or too large.
    func check(_ inbound: InboundJob, now: Timestamp) throws(JobRejection) {
        if let drop = inbound.drop { throw rejection(of: inbound, field: "message", drop.reason, now: now) }
        let delivery = inbound.delivery
        if let problem = delivery.problem { throw rejection(of: inbound, field: "headers", problem, now: now) }
        guard !delivery.properties.headers.isEmpty else { return }
        let (size, limit) = (delivery.properties.headers.wireSize, Self.maximumHeaderBytes)
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

    func decode(_ inbound: InboundJob, now: Timestamp, makeID: () -> String) throws(JobRejection) -> Job {
        let body: [UInt8]
        let messageID = inbound.delivery.properties.messageID
        do throws(EncodedBody.Fault) {
            // Extracting the content copies the body, so this step is skipped for a body that is too large.
            let isTooLarge = inbound.delivery.body.count > limits.maximumJobBytes + EncodedBody.overhead
            body = isTooLarge ? inbound.delivery.body : try inbound.delivery.content()
        } catch {
            throw JobRejection(jobID: messageID, app: nil, faults: [.init(field: "body", problem: error.problem)])
        }
        return try decode(body, messageID: messageID, now: now, makeID: makeID)
    }

    /// Returns the rejection of a message, with the job's id and app if they can be determined.
    func rejection(of inbound: InboundJob, field: String, _ problem: String, now: Timestamp) -> JobRejection {
        let (id, app) = names(of: inbound, now: now)
        return JobRejection(jobID: id, app: app, faults: [.init(field: field, problem: problem)])
    }

    /// Returns the job's id and app for the rejection event, each `nil` if it cannot be determined. A body that may
    /// have crashed a worker is not decoded again.
    private func names(of inbound: InboundJob, now: Timestamp) -> (id: String?, app: String?) {
        let delivery = inbound.delivery
        let messageID = delivery.properties.messageID
        guard !inbound.wasLookedAt, delivery.body.count <= limits.maximumJobBytes, let body = try? delivery.content()
        else { return (messageID, nil) }
        do throws(JobRejection) {
            let job = try JobDecoder.decode(
                body, messageID: messageID,
                limits: JobLimits(recipients: limits.maximumRecipients, now: now), makeID: { "" })
            return (job.hasGivenID ? job.id : nil, job.app)
        } catch {
            return (error.jobID, error.app)
        }
    }
}

extension EncodedBody.Fault {
    /// The fault in a body as part of a sentence, and how to correct it.
    var problem: String {
        let found =
            switch self {
            case .malformed: "is not a readable AMQP 1.0 body"
            case .unsuitable(let type): "is \(type), sent with AMQP 1.0"
            }
        return "\(found): send the job as a data section (bytes), or as one string"
    }
}
