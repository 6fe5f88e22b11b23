import PushModel
import PushSending

/// How a key's messages to one origin fare. Lives on the origin's event loop; jobs keep a reference, so that no message
/// has to look it up.
final class KeyAtOrigin {
    let subject: Refusal.Subject
    @exclusivity(unchecked) var breaker: Breaker
    /// Of a key that has sent too much there.
    @exclusivity(unchecked) var brake = Brake()
    var trust = KeyTrust()
    /// Retired, long enough ago: nothing more is sent.
    var isRetired = false

    init(of credential: Credential.ID, at origin: String, breaker: Breaker) {
        subject = Refusal.Subject(credential: credential, environment: .production, topic: origin)
        self.breaker = breaker
    }
}
