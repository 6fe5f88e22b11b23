import PushModel

/// A fuzz target for jobs. All parts of an accepted job lie within its bytes, and a rejected job has a reason.
enum JobFuzz {
    static func violation(in input: [UInt8]) -> String? {
        do throws(JobRejection) {
            let job = try JobDecoder.decode(input) { "made-up" }
            return violation(of: job, body: input)
        } catch {
            if error.faults.isEmpty { return "refused without a reason" }
            if error.faults.contains(where: { $0.field.isEmpty && $0.problem.isEmpty }) { return "an empty fault" }
            return nil
        }
    }

    private static func violation(of job: Job, body: [UInt8]) -> String? {
        if !job.body.elementsEqual(body) { return "the body has changed" }
        if job.recipients.isEmpty { return "the job has no recipients" }
        let all = 0..<job.withBytes { $0.count }
        for (index, recipient) in job.recipients.enumerated() {
            let parts = [recipient.token, recipient.addressJSON, recipient.refJSON, recipient.payload]
            for part in parts.compactMap({ $0 }) where part.isEmpty || !all.contains(part) {
                return "recipient \(index) has a part at \(part) of \(all.count) bytes"
            }
            if !isValue(recipient.addressJSON, in: job) { return "recipient \(index)'s token is not JSON" }
            if let ref = recipient.refJSON, !isValue(ref, in: job) { return "recipient \(index)'s ref is not JSON" }
            if let payload = recipient.payload, !isValue(payload, in: job) { return "a payload is not JSON" }
        }
        return isValue(job.payload, in: job) ? violationOnItsWay(of: job) : "the payload is not JSON"
    }

    /// Checks that a job is unchanged when it is encoded for another attempt.
    private static func violationOnItsWay(of job: Job) -> String? {
        let body = JobEncoder.encode(job, recipients: Array(job.recipients.indices))
        let again: Job
        do throws(JobRejection) {
            again = try JobDecoder.decode(body) { "another" }
        } catch {
            return "the written job is rejected: \(error)"
        }
        guard again.id == job.id, again.app == job.app, again.output == job.output,
            again.environment == job.environment, again.credential == job.credential, again.topic == job.topic,
            again.pushType == job.pushType, again.priority == job.priority, again.expiration == job.expiration,
            again.collapseID == job.collapseID, again.atMostOnce == job.atMostOnce, again.trim == job.trim,
            again.results == job.results, again.isBroadcast == job.isBroadcast, again.validateOnly == job.validateOnly,
            again.recipients.count == job.recipients.count, again.bytes(again.payload) == job.bytes(job.payload)
        else { return "a field has changed" }
        for (mine, its) in zip(job.recipients, again.recipients) {
            func isSame(_ one: Range<Int>?, _ other: Range<Int>?) -> Bool {
                one.map { Array(job.bytes($0)) } == other.map { Array(again.bytes($0)) }
            }
            guard isSame(mine.token, its.token), isSame(mine.refJSON, its.refJSON), isSame(mine.payload, its.payload),
                mine.registeredAt == its.registeredAt, mine.kind == its.kind
            else { return "a recipient has changed" }
        }
        return nil
    }

    private static func isValue(_ range: Range<Int>, in job: Job) -> Bool {
        Array(job.bytes(range)).withUnsafeBufferPointer { JSONFuzz.accepts($0) }
    }
}
