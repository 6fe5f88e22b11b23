package import Addressing
import NIOCore

extension Endpoint {
    /// An IP address rather than a name.
    package var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }

    /// What requests say in `:authority` (RFC 9113, section 8.3.1); HTTPS' own port is left out.
    package var authority: String { port == 443 ? host : description }
}
