import PushModel
import PushSending

/// The health of one key at one origin for one app. Refusals of one app's messages do not hold messages of another app
/// that uses the same key. Lives on the origin's event loop; jobs keep a reference, so that no message has to look it
/// up.
final class KeyAtOrigin {
    struct ID: Hashable {
        let credential: Credential.ID
        let app: String
    }

    let id: ID
    let subject: Refusal.Subject
    @exclusivity(unchecked) var breaker: Breaker
    /// The pause of a key that has sent too many messages to this origin.
    @exclusivity(unchecked) var brake = Brake()
    /// The id of the last job with a refused message. A message of another job is the better probe.
    var lastRefusedJob: String?
    /// Whether the key was retired and its time for waiting messages is over. It then sends nothing.
    var isRetired = false

    init(_ id: ID, at origin: String, breaker: Breaker) {
        self.id = id
        subject = Refusal.Subject(credential: id.credential, environment: .production, topic: origin)
        self.breaker = breaker
    }

    /// Returns whether a message of this job is preferred, if messages of several jobs may go.
    func prefers(_ job: QueuedJob) -> Bool { breaker.isClosed || job.routed.job.id != lastRefusedJob }
}
