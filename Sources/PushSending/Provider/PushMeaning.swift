/// The meaning of a provider's answer to the request for one recipient.
///
/// If two meanings are possible, choose the one that is later in this table:
///
/// | meaning | other pushes with the credential |
/// |---|---|
/// | `credentialRefused` | pushes of the same app wait, while single pushes test whether the refusal persists |
/// | `throttled` | wait until the delay has passed |
/// | all others | continue, except as stated for `refusedAmbiguously` |
///
/// Delays are in seconds. The answer's `Retry-After` applies if it is longer than the given delay.
public enum PushMeaning: Sendable, Hashable {
    /// The provider accepted the push. The id is `nil` if the provider gave none.
    case accepted(id: String?)
    /// The provider states that the address is dead. Martlet then marks it dead.
    case unregistered(PushFault)
    /// The provider refuses this push permanently.
    case rejected(PushFault)
    /// The provider did not accept the push. A later attempt may succeed.
    case retry(PushFault, afterSeconds: Int = 0)
    /// The provider states that the credential sends too fast. If no delay is known, each further pause is
    /// longer, from one second to one minute. A pause lasts at most 15 minutes.
    case throttled(PushFault, afterSeconds: Int = 0)
    /// The provider states that it refuses the credential.
    case credentialRefused(PushFault)
    /// The provider refuses the push, and the cause may be the credential or the recipient. An example is a 403 without
    /// a reason. The push is retried. Other pushes of its app wait only if the provider has accepted no push with the
    /// credential recently.
    case refusedAmbiguously(PushFault)
    /// The provider may have accepted the push.
    case unknown(PushFault)
}
