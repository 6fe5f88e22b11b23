public import Logging
// Who simulates APNs configures, breaks and reads the simulator by what all simulators share.
@_exported public import PushSimulator

/// Apple's push service, on this machine.
public typealias APNSSimulator = PushSimulator<APNSDouble>
public typealias FaultScript = PushSimulator<APNSDouble>.FaultScript
public typealias StandingFaults = PushSimulator<APNSDouble>.StandingFaults

extension APNSSimulator {
    /// - Throws: `SimulatorError` if the certificate authority's directory can't be used.
    public convenience init(
        configuration: SimulatorConfiguration = SimulatorConfiguration(),
        logger: Logger = Logger(label: "apns-simulator")
    ) throws {
        try self.init(APNSDouble(configuration), configuration: configuration.server, logger: logger)
    }

    public var configuration: SimulatorConfiguration { double.configuration }

    /// The port for managing channels; nil while not running or without one.
    public var channelPort: Int? { otherPorts.first }

    // MARK: Credentials

    /// Accepts provider tokens signed with this key from now on.
    public func register(_ key: TokenKey) {
        double.tokens.register(key)
    }

    /// Refuses a key's tokens from now on, on open connections too; nil: no longer.
    public func refuse(keyID: String, _ refusal: KeyRefusal? = KeyRefusal()) {
        double.tokens.refuse(keyID, refusal)
    }

    /// How each key's provider tokens have been used, by key id.
    public var tokenUses: [String: TokenUse] {
        double.tokens.uses
    }

    // MARK: Channels

    /// The broadcast channels of an app, with how many broadcasts each has got.
    public func channels(of app: String) -> [BroadcastChannel] {
        double.channels.channels(of: app)
    }

    /// Makes a channel without a request; nil if the app has as many as it may.
    public func createChannel(of app: String, storesMostRecent: Bool = false) -> BroadcastChannel? {
        double.channels.create(app: app, storesMostRecent: storesMostRecent)
    }

    /// Whether an app has the capability to broadcast, as every app has at first.
    public func setBroadcasting(enabled: Bool, of app: String) {
        double.channels.setFeature(enabled: enabled, app: app)
    }
}
