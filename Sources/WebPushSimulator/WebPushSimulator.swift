public import Logging
// Re-exported because users of this simulator configure it and inject faults through types that all simulators share.
@_exported public import PushSimulator

/// A simulator of the Web Push services of Apple, Mozilla, Google and Microsoft.
public typealias WebPushSimulator = PushSimulator<WebPushDouble>

extension WebPushSimulator {
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
    /// - Throws: `SimulatorError` if the certificate authority's directory can't be used.
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

    /// Issues a subscription.
    ///
    /// - Parameters:
    ///   - key: The `applicationServerKey`, a VAPID public key of 65 bytes in base64url. `nil` is allowed with Mozilla
    ///     only.
    ///   - host: A name that the certificate is valid for.
    /// - Throws: `SimulatorError` naming the invalid field.
    public func subscribe(
        _ persona: Persona, key: String?, state: SubscriptionState = .good, host: String = "localhost"
    ) throws -> SubscriptionJSON {
        try subscribe(
            persona, number: nil, key: key, state: state, origin: "https://\(host):\(port(of: persona))")
    }

    /// Issues a subscription for a given origin.
    ///
    /// - Parameters:
    ///   - number: The first eight bytes of the endpoint's ID, or `nil` for a number that no other subscription has.
    ///   - origin: The origin of the endpoint. The simulator does not have to listen there.
    package func subscribe(
        _ persona: Persona, number: UInt64?, key: String?, state: SubscriptionState = .good, origin: String
    ) throws -> SubscriptionJSON {
        let bytes = try key.map { try ControlMessage.NewSubscriptions.key($0) }
        guard bytes != nil || !persona.demandsKey else {
            throw SimulatorError("application_server_key: missing, and \(persona.rawValue) demands one")
        }
        let inside: Subscription.State =
            switch state {
            case .good: .good
            case .gone: .gone
            case .unknown: .unknown
            }
        return double.office.make(persona, number: number, key: bytes, state: inside, origin: origin)
    }

    /// The use of tokens by persona and key.
    public var vapidUses: [String: VAPIDUse] { double.tokens.uses }
}
