/// The HTTP version of one connection.
enum HTTPVersion {
    case http1
    case http2
}

/// The HTTP versions that a pool can use. With TLS, the server chooses by ALPN (RFC 7301).
package enum HTTPVersions: Sendable {
    /// HTTP/2 only. Without TLS, the pool uses it by prior knowledge (RFC 9113, section 3.3).
    case http2
    /// HTTP/2, or HTTP/1.1 if the server chooses HTTP/1.1 or no protocol. Without TLS, the pool uses HTTP/1.1.
    case http2OrHTTP1

    var applicationProtocols: [String] {
        switch self {
        case .http2: ["h2"]
        case .http2OrHTTP1: ["h2", "http/1.1"]
        }
    }

    /// Returns the version to use on a new connection.
    ///
    /// - Parameter negotiated: The protocol that ALPN has chosen, or `nil` if it has chosen none.
    func chosen(_ negotiated: String?, withTLS: Bool) -> HTTPVersion {
        switch self {
        case .http2: .http2
        case .http2OrHTTP1: withTLS && negotiated == "h2" ? .http2 : .http1
        }
    }
}
