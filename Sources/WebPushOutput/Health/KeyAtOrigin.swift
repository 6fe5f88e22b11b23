import PushModel
import PushSending

/// The health of one key at one origin for one app. Refusals of one app's messages do not hold messages of another app
/// that uses the same key. Used only on the origin's event loop. Jobs keep a reference to it, so that messages need no
/// look-up.
final class KeyAtOrigin {
    struct ID: Hashable {
        let credential: Credential.ID
        let app: String
    }

    let id: ID
    let subject: Refusal.Subject
    @exclusivity(unchecked) var breaker: Breaker
    /// The pause after too many messages with this key to this origin.
    @exclusivity(unchecked) var pause = SendPause()
    @exclusivity(unchecked) var failed = FailedJobs()
    /// Whether the key may no longer be used, because its credential was retired and the time for waiting messages is
    /// over.
    var isRetired = false

    init(_ id: ID, at origin: String, breaker: Breaker) {
        self.id = id
        subject = Refusal.Subject(credential: id.credential, environment: .production, topic: origin)
        self.breaker = breaker
    }
}
