/// What a provider does with pushes, from one moment on.
public enum ProviderBehaviour: String, Sendable, Hashable, CaseIterable {
    /// Takes each: what it does at first.
    case accepts
    /// Takes each, after a while: a few tenths of a second.
    case slow
    /// Refuses each for good, for the push's own fault.
    case refuses
    /// Asks for another attempt later.
    case busy
    /// Refuses the credential.
    case refusesCredential = "refuses the credential"
    /// Answers with something that is no answer of this service.
    case garbles
    /// Closes the connection when pushes have come in, without an answer.
    case hangsUp = "hangs up"
    /// Reads and never answers. The output's time-out has to be shorter than the suite's patience.
    case silent
    /// Takes no connection.
    case away
}
