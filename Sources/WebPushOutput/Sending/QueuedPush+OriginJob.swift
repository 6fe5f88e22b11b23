import PushSending

extension QueuedPush {
    /// The part of the job to which this push belongs. Pushes of an origin have no other kind of job.
    var part: OriginJob { unsafeDowncast(job, to: OriginJob.self) }
    /// The index of the recipient in the job.
    var index: Int { Int(part.places[recipient].recipient) }
}
