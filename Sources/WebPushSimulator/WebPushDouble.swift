internal import Crypto
public import PushSimulator

/// The simulator's model of Web Push: the subscriptions, the records of values that must not repeat, and the rules for
/// each connection.
public struct WebPushDouble: PushDouble {
    let configuration: WebPushSimulatorConfiguration
    let registry: SubscriptionRegistry
    let freshness = KeyReuseDetector()
    let tokens = TokenUseRecord()
    let pending = PendingMessages()

    init(_ configuration: WebPushSimulatorConfiguration) throws {
        self.configuration = configuration
        registry = SubscriptionRegistry(
            secret: try configuration.directory.map {
                try AuthorityDirectory(path: $0).loadOrCreateSubscriptionSecret()
            } ?? SymmetricKey(size: .bits256))
    }

    public func begin(
        _ client: ConnectingClient, answers: ChosenAnswers<PlannedWebPushAnswer>
    ) throws -> any ConnectionRules {
        WebPushRules(self, Persona(place: client.port) ?? .apple, answers)
    }

    public func reset() {
        freshness.reset()
        tokens.reset()
        pending.reset()
    }

    public static var views: [ControlView<WebPushDouble>] {
        [
            ControlView("subscriptions", of: ControlMessage.NewSubscriptions.self) { simulator, wish in
                try wish.made(by: simulator)
            },
            ControlView("vapid") { simulator, _ in simulator.vapidUses },
        ]
    }
}
