public import PushSimulator

/// The simulator's model of APNs: keys, channels, and the rules for each connection.
public struct APNSDouble: PushDouble {
    let configuration: SimulatorConfiguration
    let tokens: ProviderTokenAuthority
    let channels: BroadcastChannelStore

    init(_ configuration: SimulatorConfiguration) {
        self.configuration = configuration
        tokens = ProviderTokenAuthority(isStrict: configuration.requiresStrictTokens, keys: configuration.tokenKeys)
        channels = BroadcastChannelStore(limit: configuration.channelLimit)
    }

    public func begin(_ client: ConnectingClient, answers: ChosenAnswers<PlannedAnswer>) throws -> any ConnectionRules {
        try APNSRules(self, client, answers)
    }

    public func reset() {
        tokens.forgetUses()
        tokens.forgetRefusals()
    }

    /// Returns the token in lower case. Device tokens are hex digits, which may be written in either case.
    public static func canonical(_ token: String) -> String {
        token.lowercased()
    }

    public static func check(_ token: String) throws {
        guard token.utf8.allSatisfy({ hexValue($0) != 0xff }) else {
            throw SimulatorError("token: '\(token)' must consist of hex digits")
        }
    }

    public static var commands: [ControlCommand<APNSDouble>] {
        [
            ControlCommand(.post, "keys", ControlMessage.Key.self) { $0.register($1.key) },
            ControlCommand(.post, "keys/refuse", step: "key", ControlMessage.RefusedKey.self) {
                $0.refuse(keyID: $1.keyID, $1.refusal)
            },
        ]
    }

    public static var views: [ControlView<APNSDouble>] {
        [
            ControlView("tokens") { simulator, _ in simulator.tokenUses },
            ControlView("channels/:app") { $0.channels(of: $1) },
        ]
    }
}
