import PushModel
import PushSending

/// The part of a job that goes to one origin. Used only on the event loop of the origin's connections.
// why: unchecked because only this event loop uses it.
final class OriginJob: QueuedJob, @unchecked Sendable {
    let job: WebPushJob
    let key: KeyAtOrigin
    /// The fields of the job's last request, or `nil` before the first request. ``fieldsSecond`` is the time at which
    /// they were made, in seconds.
    @exclusivity(unchecked) var fields: OriginFields.Entry?
    @exclusivity(unchecked) var fieldsSecond = Int64.min

    /// - Parameter recipients: The indices of the job's recipients at this origin, at least one.
    init(_ job: WebPushJob, recipients: [UInt32], key: KeyAtOrigin, tokens: AppTokens) {
        self.job = job
        self.key = key
        super.init(job.routed, sink: job.sink, recipients: recipients)
        self.tokens = tokens
    }
}
