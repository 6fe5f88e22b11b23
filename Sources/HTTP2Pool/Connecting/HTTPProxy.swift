package import Foundations
import Foundation

/// An HTTP proxy that opens tunnels by CONNECT (RFC 9110, section 9.3.6).
package struct HTTPProxy: Sendable, Hashable {
    /// The user and password in base64, as `Proxy-Authorization: Basic` requires them (RFC 7617). The value is never
    /// printed.
    struct BasicCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        let base64: String

        var description: String { "<secret>" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    package let endpoint: Endpoint
    let basicCredentials: BasicCredentials?

    /// Parses the URL of a proxy. Returns `nil` if the URL is malformed.
    ///
    /// - Parameter url: `http://[user:password@]host:port`, with user and password percent-encoded.
    package init?(url: String) {
        guard let parts = URLComponents(string: url), parts.scheme?.lowercased() == "http",
            let host = parts.host, !host.isEmpty, let port = parts.port, (1...65_535).contains(port),
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
            (parts.user == nil) == (parts.password == nil)
        else { return nil }
        endpoint = Endpoint(host: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host, port: port)
        if let user = parts.user, let password = parts.password {
            // The user name ends at the first colon, so it must not contain one.
            guard !user.contains(":") else { return nil }
            basicCredentials = BasicCredentials(base64: Data("\(user):\(password)".utf8).base64EncodedString())
        } else {
            basicCredentials = nil
        }
    }
}
