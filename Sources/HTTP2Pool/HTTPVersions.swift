/// What is spoken on one connection.
enum HTTPVersion {
    case http1
    case http2
}

/// What a pool speaks. With TLS the server chooses by ALPN (RFC 7301).
package enum HTTPVersions: Sendable {
    /// HTTP/2 alone; without TLS by prior knowledge (RFC 9113, section 3.3).
    case http2
    /// HTTP/2, or HTTP/1.1 with a server that chooses it or nothing at all; without TLS HTTP/1.1.
    case http2OrHTTP1

    var applicationProtocols: [String] {
        switch self {
        case .http2: ["h2"]
        case .http2OrHTTP1: ["h2", "http/1.1"]
        }
    }

    /// - Parameter negotiated: by ALPN; nil: nothing was.
    func chosen(_ negotiated: String?, withTLS: Bool) -> HTTPVersion {
        switch self {
        case .http2: .http2
        case .http2OrHTTP1: withTLS && negotiated == "h2" ? .http2 : .http1
        }
    }
}
