/// A description of one push service. Server, certificates, faults, records, counters and the control endpoint are
/// common to all services and are in ``PushSimulator``.
public protocol PushDouble: Sendable {
    associatedtype Answer: SimulatedAnswer

    /// Creates the rules for a client whose TLS handshake has completed.
    ///
    /// - Parameter answers: The answers chosen for requests that pass the checks.
    /// - Throws: A description of the problem with the client's certificate. The handshake then counts as failed.
    func begin(_ client: ConnectingClient, answers: ChosenAnswers<Answer>) throws -> any ConnectionRules
    /// Clears the counts and planned faults of this service.
    func reset()

    /// Returns the canonical spelling of a token that can be written in several ways.
    static func canonical(_ token: String) -> String
    /// Checks whether a token can begin with this text.
    ///
    /// - Throws: ``SimulatorError`` if no token can.
    static func check(_ token: String) throws
    /// The commands that only this service has.
    static var commands: [ControlCommand<Self>] { get }
    /// The views that only this service has.
    static var views: [ControlView<Self>] { get }
}

extension PushDouble {
    public func reset() {}
    public static func canonical(_ token: String) -> String { token }
    public static func check(_ token: String) throws {}
    public static var commands: [ControlCommand<Self>] { [] }
    public static var views: [ControlView<Self>] { [] }
}
