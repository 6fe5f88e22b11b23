/// What the server does wrong with all requests until it is told to stop.
public struct ServerFaults: Hashable, Sendable {
    public enum Silence: String, Hashable, Sendable, CaseIterable, Codable {
        case none
        /// Requests are taken and never answered; PINGs are.
        case answers
        /// Nothing is read or sent any more; connections that are made meanwhile never complete TLS.
        case all
    }

    /// Milliseconds that every answer comes later.
    public var answerDelayMilliseconds = 0
    /// Milliseconds after which connections that are made from now on are granted the window for received
    /// bytes; 0: at once.
    public var windowDelayMilliseconds = 0
    public var silence = Silence.none

    public init() {}
}
