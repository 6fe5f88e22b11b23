/// What a double says of its push service. Server, certificates, faults, records, counters and the control endpoint are
/// the same for all, in ``PushSimulator``.
public protocol PushDouble: Sendable {
    associatedtype Answer: SimulatedAnswer

    /// Makes the rules for a client that has come through TLS.
    ///
    /// - Parameter answers: those chosen for requests that pass the checks.
    /// - Throws: what is wrong with the client's certificate; its handshake has failed then.
    func begin(_ client: ConnectingClient, answers: ChosenAnswers<Answer>) throws -> any ConnectionRules
    /// Forgets what has happened: counts, and what was to go wrong.
    func reset()

    /// The one spelling of a token that can be written in several.
    static func canonical(_ token: String) -> String
    /// - Throws: ``SimulatorError`` if no token begins like this.
    static func check(_ token: String) throws
    /// What the control endpoint and scripts can be told beyond what is common to all doubles.
    static var commands: [ControlCommand<Self>] { get }
    /// What the control endpoint shows beyond that.
    static var views: [ControlView<Self>] { get }
}

extension PushDouble {
    public func reset() {}
    public static func canonical(_ token: String) -> String { token }
    public static func check(_ token: String) throws {}
    public static var commands: [ControlCommand<Self>] { [] }
    public static var views: [ControlView<Self>] { [] }
}
