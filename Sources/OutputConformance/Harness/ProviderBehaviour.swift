/// The behaviour of a double from a given moment on.
public enum ProviderBehaviour: String, Sendable, Hashable, CaseIterable {
    /// Accepts every push. This is the initial behaviour.
    case accepts
    /// Accepts every push after a few tenths of a second.
    case slow
    /// Permanently refuses every push, for a reason that concerns only the push.
    case refuses
    /// Requests another attempt later.
    case busy
    /// Refuses the credential.
    case refusesCredential = "refuses the credential"
    /// Sends an invalid answer, which the real service would never send.
    case garbles
    /// Closes the connection without an answer after pushes have arrived.
    case hangsUp = "hangs up"
    /// Reads pushes and never answers. The output's timeout must be shorter than the suite's patience.
    case silent
    /// Accepts no connections.
    case away
}
