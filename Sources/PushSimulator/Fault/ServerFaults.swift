/// Server faults that affect all requests until they are cleared.
public struct ServerFaults: Hashable, Sendable {
    public enum Silence: String, Hashable, Sendable, CaseIterable, Codable {
        case none
        /// Requests are read and never answered. PINGs are answered.
        case answers
        /// Reading and sending stop. New connections do not complete TLS.
        case all
    }

    /// The additional delay of every answer, in milliseconds.
    public var answerDelayMilliseconds = 0
    /// The delay before received bytes are returned to the flow-control window, in milliseconds. Applies to new
    /// connections; 0 returns them at once.
    public var windowDelayMilliseconds = 0
    public var silence = Silence.none

    public init() {}
}
