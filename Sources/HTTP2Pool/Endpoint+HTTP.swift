package import Foundations
import NIOCore

extension Endpoint {
    /// Whether the host is an IP address rather than a name.
    package var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }

    /// The value of `:authority` in requests (RFC 9113, section 8.3.1), without the default HTTPS port.
    package var authority: String { port == 443 ? String(description.dropLast(":443".count)) : description }
}
