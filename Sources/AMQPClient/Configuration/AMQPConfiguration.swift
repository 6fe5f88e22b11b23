public import Addressing

/// Where the broker is and how to talk to it. See ``init(url:)`` for the usual way to make one.
public struct AMQPConfiguration: Sendable {
    public enum Mechanism: Sendable, Hashable {
        /// SASL PLAIN.
        case password
        /// SASL EXTERNAL: by the client certificate, in which the broker finds the user. ``AMQPConfiguration/user`` must be
        /// that one, since what is published names it.
        case certificate
    }

    /// Tried in turn, one after each failed attempt or lost connection.
    public var endpoints: [Endpoint]
    public var user: String
    public var password: AMQPPassword
    /// How the broker is told who this is.
    public var mechanism = Mechanism.password
    /// Asked before each attempt to connect, for a password that changes while this program runs. Called on the
    /// connection's thread, which may block meanwhile.
    public var currentPassword: (@Sendable () -> AMQPPassword)?
    public var virtualHost: String
    /// `nil` for plain TCP.
    public var tls: AMQPTLSConfiguration?
    /// Seconds between two heartbeats, 1 to 65535; the broker may choose a shorter time. Whoever sends nothing, or
    /// takes no data, for two of them counts as dead.
    public var heartbeatSeconds: Int
    /// So long may a connection go unread because its budget of bytes is used up; then a little is read. RabbitMQ
    /// closes a connection that takes nothing for 30 s.
    package var longestPause = Duration.seconds(10)
    /// Of names that are not looked up, for tests.
    package var knownAddresses: [String: [String]] = [:]
    /// Shown in the broker's list of connections.
    public var connectionName: String
    /// For TCP and TLS together at each address of the host, then again for the log-in, and for every answer awaited
    /// while setting up. Not for the look-up of the host name, which takes what the system's resolver takes.
    public var connectTimeout: Duration
    /// Bytes of the largest frame, 4096 to 2147483647; the broker may choose less. Longer bodies take several frames.
    public var maximumFrameSize: Int

    public init(
        endpoints: [Endpoint], user: String = "guest", password: AMQPPassword = AMQPPassword("guest"),
        virtualHost: String = "/", tls: AMQPTLSConfiguration? = nil, heartbeatSeconds: Int = 15,
        connectionName: String = "martlet", connectTimeout: Duration = .seconds(10), maximumFrameSize: Int = 131_072
    ) {
        self.endpoints = endpoints
        self.user = user
        self.password = password
        self.virtualHost = virtualHost
        self.tls = tls
        self.heartbeatSeconds = heartbeatSeconds
        self.connectionName = connectionName
        self.connectTimeout = connectTimeout
        self.maximumFrameSize = maximumFrameSize
    }

    /// - Throws: ``AMQPError/Code/invalidConfiguration`` naming the setting the library could not be given.
    func validate() throws(AMQPError) {
        func require(_ condition: Bool, _ problem: String) throws(AMQPError) {
            if !condition { throw AMQPError(.invalidConfiguration, "AMQP configuration: \(problem)") }
        }
        try require(!endpoints.isEmpty, "no host")
        try require((1...65535).contains(heartbeatSeconds), "heartbeat must be 1 to 65535 seconds")
        try require(
            (4096...Int(Int32.max)).contains(maximumFrameSize), "frame size must be 4096 to 2147483647 bytes")
        try require(connectTimeout > .zero, "connect timeout must be above zero")
        let containsNull = ([user, virtualHost, password.text] + endpoints.map(\.host)).contains { $0.utf8.contains(0) }
        try require(!containsNull, "user, password, virtual host and host must not contain a null character")
        try require(virtualHost.utf8.count <= 255, "virtual host is longer than 255 bytes")
        try require(
            mechanism == .password || tls?.clientCertificate != nil,
            "logging in by certificate needs a client certificate")
    }

    /// Names of what differs from another, but for the password.
    package func differences(from other: AMQPConfiguration) -> [String] {
        [
            ("user", user != other.user), ("hosts", endpoints != other.endpoints),
            ("virtual host", virtualHost != other.virtualHost), ("TLS", tls != other.tls),
            (
                "options",
                mechanism != other.mechanism || heartbeatSeconds != other.heartbeatSeconds
                    || connectTimeout != other.connectTimeout
            ),
        ].filter(\.1).map(\.0)
    }

    /// The password of this moment, to log in elsewhere with.
    package var passwordText: String { current.password.text }

    /// With the password of this moment.
    var current: AMQPConfiguration {
        guard let currentPassword else { return self }
        var configuration = self
        configuration.password = currentPassword()
        return configuration
    }
}
