package import Foundations
package import NIOCore
package import NIOSSL

/// The service that a pool connects to, and the limits that this service tolerates.
package struct PoolConfiguration: Sendable {
    /// A function that looks up the addresses of a name. It runs on a thread that may block. It is called for each
    /// connection, unless a look-up of the same name is already running.
    package typealias Resolver = @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress]

    /// A function that returns whether connections to an address are allowed.
    package typealias AddressRule = @Sendable (SocketAddress) -> Bool

    /// The name of the service in the log.
    package var service: String
    package var endpoint: Endpoint
    package var proxy: HTTPProxy?
    /// The TLS configuration, or `nil` for cleartext. It contains the trusted authorities and the client certificate.
    package var tls: TLSConfiguration?
    /// The TLS context shared by pools with the same `tls` and `protocols`, or `nil` if this pool creates its own.
    package var sharedTLS: SharedTLS?
    package var protocols = HTTPVersions.http2
    /// The rule that decides whether the pool may connect to an address. It is called for each address of the
    /// endpoint's name, and for an endpoint that is an address. With ``AddressRules``, it keeps a publisher's URL from
    /// reaching the operator's own network.
    ///
    /// With a proxy, the proxy looks up names itself, and must restrict the addresses that it connects to. The rule
    /// then applies only to endpoints that are addresses themselves.
    package var allowsAddress: AddressRule = { _ in true }
    /// The maximum number of connections in one pool, at least 1.
    package var maximumConnections: Int
    /// The limit on the connections of many pools together, or `nil` if each pool has only its own limit.
    package var sharedLimit: SharedConnectionLimit?
    /// The maximum number of streams that are open at a time on a connection, or `nil` to apply only the server's
    /// limit.
    package var maximumStreams: Int?
    /// The number of streams on each connection that are reserved for urgent requests. At most a tenth of the streams
    /// is reserved.
    package var urgentStreams: Int
    /// Whether to send PINGs. They detect a dead server, keep middleboxes from dropping the connection, and measure the
    /// round trip. Some servers close connections because of PINGs. Without PINGs, answers measure the round trip, and
    /// the first request without an answer reveals a dead server.
    package var sendsPings: Bool
    /// The maximum time from a request to its answer, in seconds.
    package var requestTimeoutSeconds: Int
    /// The maximum time to connect to one address, including the TLS handshake, in seconds. The same limit applies to
    /// the look-up of the name, and to waiting for the server's SETTINGS.
    package var connectTimeoutSeconds: Int
    /// The maximum number of bytes to keep of an answer's body.
    package var maximumAnswerBytes: Int
    /// The time without requests after which a connection is closed, in seconds. An HTTP/1.1 connection is closed
    /// before its server might close it.
    package var idleSeconds = 600
    /// Whether the last connection stays open when idle. Without PINGs, keeping it is unwise, because nothing shows
    /// whether the connection still works.
    package var keepsLast = true
    /// The labels of the pool's metrics, or `nil` if it is not measured.
    package var labels: PoolLabels?
    package var resolve: Resolver
    /// The service that looks up names. Pools that may look up the same name should share one instance.
    package var lookups: NameLookups

    package init(
        service: String, endpoint: Endpoint, proxy: HTTPProxy? = nil,
        tls: TLSConfiguration? = .makeClientConfiguration(), maximumConnections: Int = 1,
        sharedLimit: SharedConnectionLimit? = nil, maximumStreams: Int? = nil, urgentStreams: Int = 0,
        sendsPings: Bool = true, requestTimeoutSeconds: Int = 60, connectTimeoutSeconds: Int = 5,
        maximumAnswerBytes: Int = 4096, resolve: @escaping Resolver = SystemResolver.addresses,
        lookups: NameLookups = NameLookups()
    ) {
        self.service = service
        self.endpoint = endpoint
        self.proxy = proxy
        self.tls = tls
        self.maximumConnections = maximumConnections
        self.sharedLimit = sharedLimit
        self.maximumStreams = maximumStreams
        self.urgentStreams = urgentStreams
        self.sendsPings = sendsPings
        self.requestTimeoutSeconds = requestTimeoutSeconds
        self.connectTimeoutSeconds = connectTimeoutSeconds
        self.maximumAnswerBytes = maximumAnswerBytes
        self.resolve = resolve
        self.lookups = lookups
    }
}
