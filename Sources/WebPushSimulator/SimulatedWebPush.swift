public import Logging
// Re-exported, because users of this simulator need the types that all simulators share for configuration and fault
// injection.
@_exported public import PushSimulator

/// A simulator of the Web Push services of Apple, Mozilla, Google and Microsoft.
public typealias SimulatedWebPush = SimulatedService<WebPushDouble>

extension SimulatedWebPush {
    /// The state of an issued subscription.
    public enum SubscriptionState: String, CaseIterable, Sendable {
        case good
        /// The user has unsubscribed. Pushes are answered with 410.
        case gone
        /// The subscription is unknown. Pushes are answered with 404.
        case unknown
    }

    /// Creates a simulator of Web Push services.
    ///
    /// - Throws: `SimulatorError` if the certificate authority's directory cannot be used.
    public convenience init(
        configuration: WebPushSimulatorConfiguration = WebPushSimulatorConfiguration(),
        logger: Logger = Logger(label: "webpush-simulator")
    ) throws {
        try self.init(WebPushDouble(configuration), configuration: configuration.server, logger: logger)
    }

    public var configuration: WebPushSimulatorConfiguration { double.configuration }

    /// Returns a persona's port, or 0 while the simulator is not running.
    public func port(of persona: Persona) -> Int {
        persona.place == 0 ? port : otherPorts.dropFirst(persona.place - 1).first ?? 0
    }

    /// Issues a subscription whose endpoint is on the simulator.
    ///
    /// - Parameters:
    ///   - key: the `applicationServerKey`, a VAPID public key of 65 bytes in base64url. `nil` is allowed only with
    ///     Mozilla.
    ///   - host: a host name for which the simulator's certificate is valid.
    /// - Throws: `SimulatorError` that names the invalid field.
    public func subscribe(
        _ persona: Persona, key: String?, state: SubscriptionState = .good, host: String = "localhost"
    ) throws -> SubscriptionJSON {
        try subscribe(
            persona, number: nil, key: key, state: state, origin: "https://\(host):\(port(of: persona))")
    }

    /// Issues a subscription for a given origin.
    ///
    /// - Parameters:
    ///   - number: the first eight bytes of the id in the endpoint, or `nil` for an unused number.
    ///   - origin: the origin of the endpoint. The simulator need not listen there.
    package func subscribe(
        _ persona: Persona, number: UInt64?, key: String?, state: SubscriptionState = .good, origin: String
    ) throws -> SubscriptionJSON {
        let bytes = try key.map { try ControlMessage.NewSubscriptions.key($0) }
        guard bytes != nil || !persona.demandsKey else {
            throw SimulatorError("application_server_key: required for persona \(persona.rawValue)")
        }
        let inside: Subscription.State =
            switch state {
            case .good: .good
            case .gone: .gone
            case .unknown: .unknown
            }
        return double.registry.make(persona, number: number, key: bytes, state: inside, origin: origin)
    }

    /// The counts of VAPID tokens, by persona and key.
    public var vapidUses: [String: VAPIDUse] { double.tokens.uses }
}
