public import Logging
// Re-exported, because users of this simulator need the types that all simulators share for configuration and fault
// injection.
@_exported public import PushSimulator

/// A simulator of Apple's push service.
public typealias SimulatedAPNS = SimulatedService<APNSDouble>
public typealias FaultScript = SimulatedService<APNSDouble>.FaultScript
public typealias StandingFaults = SimulatedService<APNSDouble>.StandingFaults

extension SimulatedAPNS {
    /// Creates a simulator of APNs.
    ///
    /// - Throws: `SimulatorError` if the certificate authority's directory cannot be used.
    public convenience init(
        configuration: SimulatorConfiguration = SimulatorConfiguration(),
        logger: Logger = Logger(label: "apns-simulator")
    ) throws {
        try self.init(APNSDouble(configuration), configuration: configuration.server, logger: logger)
    }

    public var configuration: SimulatorConfiguration { double.configuration }

    /// The port for managing channels, or `nil` if it is disabled or the simulator is stopped.
    public var channelPort: Int? { otherPorts.first }

    // MARK: Credentials

    /// Registers a key. From now on, provider tokens that are signed with it are accepted.
    public func register(_ key: TokenKey) {
        double.tokens.register(key)
    }

    /// Refuses a key's provider tokens from now on, even on open connections, or ends the refusal if `refusal` is
    /// `nil`.
    public func refuse(keyID: String, _ refusal: KeyRefusal? = KeyRefusal()) {
        double.tokens.refuse(keyID, refusal)
    }

    /// The use of provider tokens, by key id.
    public var tokenUses: [String: TokenUse] {
        double.tokens.uses
    }

    // MARK: Channels

    /// Returns the broadcast channels of an app.
    public func channels(of app: String) -> [BroadcastChannel] {
        double.channels.channels(of: app)
    }

    /// Creates a channel without a request, or returns `nil` if the app has reached the limit of channels.
    public func createChannel(of app: String, storesMostRecent: Bool = false) -> BroadcastChannel? {
        double.channels.create(app: app, storesMostRecent: storesMostRecent)
    }

    /// Enables or disables broadcasting for an app. It is enabled by default.
    public func setBroadcasting(enabled: Bool, of app: String) {
        double.channels.setFeature(enabled: enabled, app: app)
    }
}
