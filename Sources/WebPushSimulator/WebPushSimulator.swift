public import Logging
// Who simulates push services configures, breaks and reads the simulator by what all simulators share.
@_exported public import PushSimulator

/// The Web Push services of Apple, Mozilla, Google and Microsoft, on this machine.
public typealias WebPushSimulator = PushSimulator<WebPushDouble>

extension WebPushSimulator {
    /// What has become of a subscription that is handed out.
    public enum SubscriptionState: String, CaseIterable, Sendable {
        case good
        /// Taken back: 410.
        case gone
        /// Nobody knows it: 404.
        case unknown
    }

    /// - Throws: `SimulatorError` if the certificate authority's directory can't be used.
    public convenience init(
        configuration: WebPushSimulatorConfiguration = WebPushSimulatorConfiguration(),
        logger: Logger = Logger(label: "webpush-simulator")
    ) throws {
        try self.init(WebPushDouble(configuration), configuration: configuration.server, logger: logger)
    }

    public var configuration: WebPushSimulatorConfiguration { double.configuration }

    /// A persona's port; 0 while not running.
    public func port(of persona: Persona) -> Int {
        persona.place == 0 ? port : otherPorts.dropFirst(persona.place - 1).first ?? 0
    }

    /// Hands out a subscription.
    ///
    /// - Parameters:
    ///   - key: the `applicationServerKey`: a VAPID public key of 65 bytes, in base64url; nil, with Mozilla only: none.
    ///   - host: a name that the certificate is good for.
    /// - Throws: `SimulatorError` naming the field that is wrong.
    public func subscribe(
        _ persona: Persona, key: String?, state: SubscriptionState = .good, host: String = "localhost"
    ) throws -> SubscriptionJSON {
        try subscribe(
            persona, number: nil, key: key, state: state, origin: "https://\(host):\(port(of: persona))")
    }

    /// - Parameters:
    ///   - number: what its endpoint's id begins with, as eight bytes; nil: one that no other has.
    ///   - origin: of the endpoint, also while nobody listens there.
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

    /// How keys' tokens are used, by persona and key.
    public var vapidUses: [String: VAPIDUse] { double.tokens.uses }
}
