public import Foundation

/// The addresses and limits of a simulator.
public struct ServerConfiguration: Sendable {
    /// Additional names and addresses for the server's certificate and the control endpoint. `localhost`, `127.0.0.1`
    /// and `::1` are always included.
    public var hostnames: [String] = []
    /// The address on which the simulator listens.
    public var host = "127.0.0.1"
    /// The port for pushes (TLS), or 0 for a port that the system chooses.
    public var port = 0
    /// Further TLS ports, for endpoints that the service has on other ports. A 0 stands for a port that the system
    /// chooses.
    public var otherPorts: [Int] = []
    /// The port of the control endpoint (HTTP/1.1 without TLS), 0 for a port that the system chooses, or `nil` for no
    /// control endpoint.
    public var controlPort: Int? = 0
    /// The directory that stores the certificate authority between runs, or `nil` for a new authority in memory in each
    /// run.
    public var directory: String?
    /// The number of threads that serve connections.
    public var threads = 1
    /// The time limit for completing a TLS handshake, the first SETTINGS exchange, a field list or a body.
    public var timeout = Duration.seconds(30)
    /// The number of streams that a connection may have open at the same time.
    public var streamLimit = 1_000
    /// Whether clients must negotiate a protocol by ALPN.
    public var requiresALPN = false
    /// The protocols on the ports. The preferred one is first.
    package var protocols: [ApplicationProtocol] = [.http2]
    /// The protocols of the ports for which they differ from ``protocols``. The keys are indexes as in
    /// ``ConnectingClient/port``.
    package var protocolsByPort: [Int: [ApplicationProtocol]] = [:]
    /// The clock that the checks of requests use.
    public var now: @Sendable () -> Date = { Date() }

    public init() {}

    func protocols(port: Int) -> [ApplicationProtocol] { protocolsByPort[port] ?? protocols }

    /// Returns the protocol for a client that offers no supported protocol by ALPN, or `nil` to reject the client. This
    /// is HTTP/1.1, as in other servers, or HTTP/2 on a port that supports only HTTP/2.
    func unagreedProtocol(port: Int) -> ApplicationProtocol? { requiresALPN ? nil : protocols(port: port).last }
}
