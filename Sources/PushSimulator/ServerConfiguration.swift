public import Foundation

/// The addresses and limits of a simulator.
public struct ServerConfiguration: Sendable {
    /// Additional names and addresses for the server's certificate and the control endpoint. `localhost`, `127.0.0.1`
    /// and `::1` are always included.
    public var hostnames: [String] = []
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port for pushes (TLS, HTTP/2), or 0 for one that the system chooses.
    public var port = 0
    /// Further TLS ports, for endpoints that the service has on other ports. 0 means a port that the system chooses.
    public var otherPorts: [Int] = []
    /// The port of the control endpoint (plain HTTP/1.1), 0 for one that the system chooses, or `nil` for no control
    /// endpoint.
    public var controlPort: Int? = 0
    /// The directory that keeps the certificate authority between runs, or `nil` for a new authority in memory on each
    /// run.
    public var directory: String?
    /// The number of threads that serve connections.
    public var threads = 1
    /// The time within which a TLS handshake, the first SETTINGS, a field list or a body must be complete.
    public var timeout = Duration.seconds(30)
    /// The number of streams that a connection may open at once.
    public var streamLimit = 1_000
    /// Whether clients must negotiate a protocol by ALPN.
    public var requiresALPN = false
    /// The protocols on the ports, most preferred first.
    package var protocols: [ApplicationProtocol] = [.http2]
    /// The protocols of ports that differ from ``protocols``, by port index: 0 is the port for pushes, and the others
    /// follow.
    package var protocolsByPort: [Int: [ApplicationProtocol]] = [:]
    /// The clock that requests are judged by.
    public var now: @Sendable () -> Date = { Date() }

    public init() {}

    func protocols(port: Int) -> [ApplicationProtocol] { protocolsByPort[port] ?? protocols }

    /// Returns the protocol for a client that offers no supported protocol by ALPN. This is HTTP/1.1, as with other
    /// servers, or HTTP/2 on a port that supports nothing else. Returns `nil` if the client is rejected.
    func unagreedProtocol(port: Int) -> ApplicationProtocol? { requiresALPN ? nil : protocols(port: port).last }
}
