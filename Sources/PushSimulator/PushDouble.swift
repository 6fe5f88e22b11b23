/// The description of one push service. ``SimulatedService`` contains everything that is common to all services: the
/// server, certificates, faults, records, counters and the control endpoint.
public protocol PushDouble: Sendable {
    associatedtype Answer: SimulatedAnswer

    /// Creates the rules for a client that has completed the TLS handshake.
    ///
    /// - Parameter answers: the chosen answers for requests that pass the checks.
    /// - Throws: a description of the problem with the client's certificate. The handshake then counts as failed.
    func begin(_ client: ConnectingClient, answers: ChosenAnswers<Answer>) throws -> any ConnectionRules
    /// Clears the counters and planned faults of this service.
    func reset()

    /// Returns the canonical spelling of a token, if tokens can be written in several ways.
    static func canonical(_ token: String) -> String
    /// Checks whether a text can be the beginning of a token.
    ///
    /// - Throws: ``SimulatorError`` if no token can begin with the text.
    static func check(_ token: String) throws
    /// The control commands that only this service has.
    static var commands: [ControlCommand<Self>] { get }
    /// The control views that only this service has.
    static var views: [ControlView<Self>] { get }
}

extension PushDouble {
    public func reset() {}
    public static func canonical(_ token: String) -> String { token }
    public static func check(_ token: String) throws {}
    public static var commands: [ControlCommand<Self>] { [] }
    public static var views: [ControlView<Self>] { [] }
}
