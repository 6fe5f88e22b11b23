public import Foundation

/// How a simulator behaves.
public struct SimulatorConfiguration: Sendable {
    /// Which of Apple's two services it stands for.
    public enum Environment: String, CaseIterable, Sendable {
        case production, sandbox
    }

    /// Names and addresses that the server's certificate is good for besides `localhost`, `127.0.0.1` and `::1`, and
    /// under which the control endpoint may be called.
    public var hostnames: [String] = []
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port for pushes (TLS, HTTP/2); 0: one the system chooses.
    public var port = 0
    /// The port of the control endpoint (plain HTTP/1.1); 0: one the system chooses; nil: no control endpoint.
    public var controlPort: Int? = 0
    /// The port for managing broadcast channels (TLS, HTTP/2); 0: one the system chooses; nil: none.
    public var channelPort: Int?
    /// How many channels an app may have.
    public var channelLimit = 10_000
    /// Where the certificate authority is kept between runs; nil: a new one each time, in memory.
    public var directory: String?
    public var environment = Environment.production
    /// The keys whose provider tokens are accepted from the start.
    public var tokenKeys: [TokenKey] = []
    /// True: provider tokens must follow their specification to the letter; false: deviations that the live
    /// service is known to accept pass.
    public var requiresStrictTokens = false
    /// Threads that serve connections.
    public var threads = 1
    /// What has begun has to be whole after this time: a TLS handshake, the first SETTINGS, a field list, a body.
    public var timeout = Duration.seconds(30)
    /// Streams a connection may open at once.
    public var streamLimit = 1_000
    /// Streams a connection without a client certificate may open at once before its first good provider token.
    public var unauthenticatedStreamLimit = 1
    /// Refusals on a connection after which it may open one stream only; one of BadDeviceToken counts five, 410
    /// none. nil: as many as there are.
    public var refusalsBeforeSlowing: Int?
    /// The same, until the connection is closed with GOAWAY.
    public var refusalsBeforeGoAway: Int?
    /// True: clients must negotiate `h2` by ALPN.
    public var requiresALPN = false
    /// True: a key of the other environment is refused as Apple's page spells it (BadEnvironmentKeyIdInToken),
    /// not as it is seen on the wire.
    public var spellsReasonsAsDocumented = false
    /// The clock by which provider tokens and certificates' answers are judged.
    public var now: @Sendable () -> Date = { Date() }

    public init() {}
}
