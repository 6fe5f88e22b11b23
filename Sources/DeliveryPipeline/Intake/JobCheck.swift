package import PushModel

extension PipelineConfiguration {
    /// Reads a message body as a job, and refuses what is wrong with it whoever publishes it: all that can be said without
    /// apps and outputs.
    ///
    /// - Parameters:
    ///   - messageID: the message's `message_id` property, which is the job's id when the body has none.
    ///   - makeID: gives an id to a job that has neither.
    package func decode(
        _ body: [UInt8], messageID: String?, traceparent: String? = nil, now: Timestamp, makeID: () -> String
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
            body, messageID: messageID, traceparent: traceparent,
            limits: JobLimits(recipients: limits.maximumRecipients, now: now), makeID: makeID)
        // Without, nobody could tell that it has come a second time.
        if job.atMostOnce, !job.hasGivenID {
            throw job.rejected("id", "is required with at_most_once, here or as the message's message_id")
        }
        if let sendAt = job.sendAt, sendAt.seconds - now.seconds > ScheduleLadder.horizon {
            throw job.rejected("send_at", "is more than \(ScheduleLadder.horizon / 86_400) days ahead")
        }
        return job
    }
}

extension Job {
    func rejected(_ field: String, _ problem: String) -> JobRejection {
        JobRejection(jobID: id, app: app, faults: [.init(field: field, problem: problem)])
    }
}
