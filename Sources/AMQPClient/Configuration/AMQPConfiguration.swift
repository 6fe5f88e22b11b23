package import Foundations

/// The broker's address and the settings of a connection to it. ``init(url:)`` is the usual way to create one.
package struct AMQPConfiguration: Sendable {
    package enum Mechanism: Sendable, Hashable {
        /// SASL PLAIN.
        case password
        /// SASL EXTERNAL: the broker takes the user from the client certificate. ``AMQPConfiguration/user`` must be the
        /// same user, because published messages name it.
        case certificate
    }

    /// The endpoints of the broker. After each failed attempt or lost connection, the client tries the next one.
    package var endpoints: [Endpoint]
    package var user: String
    package var password: AMQPPassword
    /// The SASL mechanism of the log-in.
    package var mechanism = Mechanism.password
    /// A function that returns the current password, or `nil` to use ``password``. It is for passwords that change
    /// while this program runs. The connection's thread calls it before each attempt to connect, and it may block.
    package var currentPassword: (@Sendable () -> AMQPPassword)?
    package var virtualHost: String
    /// The TLS settings, or `nil` for plain TCP.
    package var tls: AMQPTLSConfiguration?
    /// The heartbeat interval in seconds, from 1 to 65535. The broker may choose a shorter one. A peer that sends
    /// nothing, or accepts no data, for two intervals counts as dead.
    package var heartbeatSeconds: Int
    /// The longest pause in reading while the consumer's byte budget is used up. After this pause, a limited amount of
    /// data is read, because RabbitMQ closes a connection that accepts nothing for 30 seconds.
    package var longestPause = Duration.seconds(10)
    /// The addresses of host names, for tests. A host name in this table is not looked up.
    package var knownAddresses: [String: [String]] = [:]
    /// The name of the connection in the broker's list of connections.
    package var connectionName: String
    /// The time limit for TCP and TLS together, for the log-in, and for each later answer, such as to a declaration.
    ///
    /// The limit for TCP and TLS applies to each address of the host. The look-up of the host name is not limited; the
    /// system's resolver determines how long it takes.
    package var connectTimeout: Duration
    /// The size of the largest frame in bytes, from 4096 to 2147483647. The broker may choose a smaller one. Longer
    /// bodies take several frames.
    package var maximumFrameSize: Int

    package init(
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

    /// Checks the settings.
    ///
    /// - Throws: ``AMQPError/Code/invalidConfiguration`` naming the invalid setting.
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
            "login by certificate requires a client certificate")
    }

    /// Returns the names of the parts of the URL that differ from another configuration, except the password.
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

    /// The current password, for a log-in to the broker's HTTP API.
    package var passwordText: String { current.password.text }

    /// A copy of the configuration whose ``password`` is the result of ``currentPassword``.
    var current: AMQPConfiguration {
        guard let currentPassword else { return self }
        var configuration = self
        configuration.password = currentPassword()
        return configuration
    }
}
