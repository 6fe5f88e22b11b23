package import Addressing
package import NIOCore
package import NIOSSL

/// Which service a pool connects to, and what that service bears.
package struct PoolConfiguration: Sendable {
    /// Looks a name up; called for each connection, but for those that can share an answer, on a thread that may block.
    package typealias Resolver = @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress]

    /// Whether an address may be connected to.
    package typealias AddressRule = @Sendable (SocketAddress) -> Bool

    /// What the log calls the service.
    package var service: String
    package var endpoint: Endpoint
    package var proxy: HTTPProxy?
    /// What the server's certificate is checked with, and what we show if we are asked; nil: everything goes in the
    /// clear.
    package var tls: TLSConfiguration?
    /// Of pools with the same `tls` and `protocols`; nil: this one has its own.
    package var sharedTLS: SharedTLS?
    package var protocols = HTTPVersions.http2
    /// Asked for each address that the endpoint's name is found to have, or that stands in its place; whatever it does
    /// not allow is not connected to. So that nobody's URL leads into our own network: ``AddressRules``.
    ///
    /// With a proxy it is the proxy that looks names up, and that has to know where it may go: of it, only endpoints
    /// that are addresses themselves are asked for here.
    package var allowsAddress: AddressRule = { _ in true }
    /// Most connections of one pool; at least 1.
    package var maximumConnections: Int
    /// Of many pools together; nil: each has its own bound only.
    package var sharedLimit: SharedConnectionLimit?
    /// Streams of a connection that are used at a time, where the server allows more; nil: as many as it allows.
    package var maximumStreams: Int?
    /// Streams of each connection kept free for what is urgent; never more than a tenth.
    package var urgentStreams: Int
    /// PINGs find out whether the server is there, keep middle boxes awake and measure the round trip. Without them,
    /// where a server ends connections over PINGs, answers tell the round trip, and a server that is gone is found by
    /// the request that it does not answer.
    package var sendsPings: Bool
    /// How long an answer may take, in seconds.
    package var requestTimeoutSeconds: Int
    /// How long one address may take for connecting and the TLS handshake together, in seconds; as long again for its
    /// SETTINGS.
    package var connectTimeoutSeconds: Int
    /// The most bytes that are read of an answer's body.
    package var maximumAnswerBytes: Int
    /// A connection that has had nothing to do for so long is closed. One of HTTP/1.1 is closed as soon as its server
    /// might close it.
    package var idleSeconds = 600
    /// But the last one stays; not wise without PINGs, as nothing tells then whether it still leads anywhere.
    package var keepsLast = true
    /// Under which labels it is measured; nil: it is not.
    package var labels: PoolLabels?
    package var resolve: Resolver
    /// Share one where pools may look the same name up.
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
