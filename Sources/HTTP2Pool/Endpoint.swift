import NIOCore

/// A host and a port.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    public let host: String
    public let port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// An IPv6 address has brackets, as in a URL.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// An IP address rather than a name.
    public var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }

    /// What requests say in `:authority` (RFC 9113, section 8.3.1); HTTPS' own port is left out.
    package var authority: String { port == 443 ? host : description }
}
