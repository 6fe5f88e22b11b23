import PushSending

extension QueuedPush {
    /// The job's recipients at this push's origin. An origin receives only such jobs.
    var part: OriginJob { unsafeDowncast(job, to: OriginJob.self) }
    /// The index of the recipient in the job.
    var index: Int { Int(part.places[recipient].recipient) }
}
