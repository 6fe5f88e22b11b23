/// A protocol that a client may use over TLS. The raw value is its ALPN name (RFC 7301).
package enum ApplicationProtocol: String, Sendable {
    case http2 = "h2"
    case http1 = "http/1.1"
}
