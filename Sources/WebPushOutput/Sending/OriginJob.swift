import PushModel
import PushSending

/// The part of a job that goes to one origin. Lives on the event loop of the origin's connections.
// why: unchecked because only that event loop uses it.
final class OriginJob: QueuedJob, @unchecked Sendable {
    /// A recipient of the job, by its index there.
    struct Place {
        let recipient: UInt32
        /// The offset in the endpoint at which path and query begin.
        let pathStart: UInt32
    }

    let job: WebPushJob
    let places: [Place]
    let key: KeyAtOrigin
    /// The fields of the job's last request, and the second in which they were made.
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
