import PushModel
import PushSending

/// The part of a job that goes to one origin. Used only on the event loop of the origin's connections.
// why: unchecked because only this event loop uses it.
final class OriginJob: QueuedJob, @unchecked Sendable {
    /// A recipient of the job.
    struct Place {
        /// The index of the recipient in the job.
        let recipient: UInt32
        /// The offset in the endpoint at which path and query begin.
        let pathStart: UInt32
    }

    let job: WebPushJob
    let places: [Place]
    let key: KeyAtOrigin
    /// The fields of the job's last request, or `nil` before the first request. ``fieldsSecond`` is the time at which
    /// they were made, in seconds.
    @exclusivity(unchecked) var fields: OriginFields.Entry?
    @exclusivity(unchecked) var fieldsSecond = Int64.min

    init(_ job: WebPushJob, places: [Place], key: KeyAtOrigin, tokens: AppTokens) {
        self.job = job
        self.places = places
        self.key = key
        super.init(job.routed, sink: job.sink)
        self.tokens = tokens
    }
}
