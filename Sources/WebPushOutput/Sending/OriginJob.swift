import PushModel
import PushSending

/// The part of a job that goes to one origin. Lives on the event loop of the origin's connections.
// why: unchecked for that reason.
final class OriginJob: QueuedJob, @unchecked Sendable {
    /// A recipient of the job, by its index there.
    struct Place {
        let recipient: UInt32
        /// Where in its endpoint path and query begin.
        let pathStart: UInt32
    }

    let job: WebPushJob
    let places: [Place]
    let key: KeyAtOrigin
    /// What its requests carried last, and when that was looked up.
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
