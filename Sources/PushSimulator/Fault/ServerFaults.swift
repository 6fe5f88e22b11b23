/// The faults of the server that affect all requests until they are cleared.
public struct ServerFaults: Hashable, Sendable {
    public enum Silence: String, Hashable, Sendable, CaseIterable, Codable {
        case none
        /// Requests are read but never answered. PINGs are answered.
        case answers
        /// The server stops reading, and therefore answers no new requests or PINGs. New connections do not complete
        /// the TLS handshake. Answers that were already scheduled are still sent.
        case all
    }

    /// The additional delay of every answer, in milliseconds.
    public var answerDelayMilliseconds = 0
    /// The delay before received bytes are returned to the flow-control window, in milliseconds, or 0 to return them at
    /// once. A change applies to new connections.
    public var windowDelayMilliseconds = 0
    public var silence = Silence.none

    public init() {}
}
