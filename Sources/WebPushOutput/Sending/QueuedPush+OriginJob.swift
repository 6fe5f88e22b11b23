import PushSending

extension QueuedPush {
    /// The job's recipients at this push's origin. Only such jobs are handed in to an origin.
    var part: OriginJob { unsafeDowncast(job, to: OriginJob.self) }
    /// The recipient's place in the job.
    var index: Int { Int(part.places[recipient].recipient) }
}
