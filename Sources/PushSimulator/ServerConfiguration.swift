public import Foundation

/// Where a simulator listens, and how patient it is.
public struct ServerConfiguration: Sendable {
    /// Names and addresses that the server's certificate is good for besides `localhost`, `127.0.0.1` and `::1`, and
    /// under which the control endpoint may be called.
    public var hostnames: [String] = []
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port for pushes (TLS, HTTP/2); 0: one the system chooses.
    public var port = 0
    /// Further ports of the same kind, for what the service does not do on the first; 0: one the system chooses.
    public var otherPorts: [Int] = []
    /// The port of the control endpoint (plain HTTP/1.1); 0: one the system chooses; nil: no control endpoint.
    public var controlPort: Int? = 0
    /// Where the certificate authority is kept between runs; nil: a new one each time, in memory.
    public var directory: String?
    /// Threads that serve connections.
    public var threads = 1
    /// The time in which whatever has begun must be whole: a TLS handshake, the first SETTINGS, a field list, a body.
    public var timeout = Duration.seconds(30)
    /// Streams a connection may open at once.
    public var streamLimit = 1_000
    /// True: clients must negotiate a protocol by ALPN.
    public var requiresALPN = false
    /// What is spoken on the ports, the best first.
    package var protocols: [ApplicationProtocol] = [.http2]
    /// The same for a port where it differs, by its place: 0 is the port for pushes, others follow.
    package var protocolsByPort: [Int: [ApplicationProtocol]] = [:]
    /// The clock by which requests are judged.
    public var now: @Sendable () -> Date = { Date() }

    public init() {}

    func protocols(port: Int) -> [ApplicationProtocol] { protocolsByPort[port] ?? protocols }

    /// What a client speaks that offers no protocol by ALPN, or none that we know: HTTP/1.1, as with other servers; where
    /// there is only HTTP/2, it knows that. nil: it is sent away.
    func unagreedProtocol(port: Int) -> ApplicationProtocol? { requiresALPN ? nil : protocols(port: port).last }
}
