import PushModel
import PushSending

/// The health of one key at one origin. Lives on the origin's event loop; jobs keep a reference, so that no message
/// has to look it up.
final class KeyAtOrigin {
    let subject: Refusal.Subject
    @exclusivity(unchecked) var breaker: Breaker
    /// Of a key that has sent too much there.
    @exclusivity(unchecked) var brake = Brake()
    /// The id of the last job with a refused message. A message of another job is the better probe.
    var lastRefusedJob: String?
    /// Retired, long enough ago: nothing more is sent.
    var isRetired = false

    init(of credential: Credential.ID, at origin: String, breaker: Breaker) {
        subject = Refusal.Subject(credential: credential, environment: .production, topic: origin)
        self.breaker = breaker
    }

    /// Whether a message of this job is preferred, if messages of several jobs may go.
    func prefers(_ job: QueuedJob) -> Bool { breaker.isClosed || job.routed.job.id != lastRefusedJob }
}
