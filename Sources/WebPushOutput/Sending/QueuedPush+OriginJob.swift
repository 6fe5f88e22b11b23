import PushSending

extension QueuedPush {
    /// The part of the job to which this push belongs. Every job of an origin's pushes is an ``OriginJob``.
    var part: OriginJob { unsafeDowncast(job, to: OriginJob.self) }
    /// The index of the recipient in the whole job.
    var index: Int { Int(part.places[recipient].recipient) }
}
