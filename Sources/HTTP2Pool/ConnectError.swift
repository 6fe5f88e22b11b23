import Foundations
import Glibc
import Logging
import NIOCore

/// The reason why a connection could not be made, or was given up, for the log.
package enum ConnectError: Error, Equatable, CustomStringConvertible {
    case unknownName(String, String)
    case noAddress(String)
    /// The address is not allowed. `purpose` is its special purpose, or `nil` for a public address.
    case addressRefused(String, host: String, purpose: String?)
    case timeout(doing: String, seconds: Int)
    case closed(doing: String)
    case proxyRefused(status: Int)
    case proxyUnintelligible
    /// The endpoint is an IP address behind a proxy, so its certificate can't be verified. The TLS library compares a
    /// certificate with a name, or with the address of the peer, which is the proxy.
    case addressThroughProxy(String)
    case noSignOfLife(String)

    package var description: String {
        switch self {
        case .unknownName(let host, let problem): "cannot look up \(host): \(problem)"
        case .noAddress(let host): "\(host) has no address"
        case .addressRefused(let address, let host, let purpose):
            "\(host) has the address \(address), which is not allowed: "
                + (purpose.map { "it is reserved for \($0)" } ?? "the configuration excludes it")
        case .timeout(let action, let seconds): "\(action): not finished after \(seconds) s"
        case .closed(let action): "\(action): the other side closed the connection"
        case .proxyRefused(407): "the proxy refused the tunnel with status 407: correct the proxy's user and password"
        case .proxyRefused(let status): "the proxy refused the tunnel with status \(status)"
        case .proxyUnintelligible: "the proxy's answer is not HTTP/1"
        case .noSignOfLife(let service): "no sign of life from \(service)"
        case .addressThroughProxy(let host): "\(host) cannot be verified through a proxy: use a host name"
        }
    }

    static func refused(_ address: SocketAddress, of endpoint: Endpoint) -> ConnectError {
        .addressRefused(
            address.ipAddress ?? "\(address)", host: endpoint.host, purpose: AddressRules.purpose(of: address))
    }

    /// Returns a readable description of any connection error, without the libraries' names of calls, files and lines.
    package static func text(of error: any Error) -> String {
        if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
        let text = "\(error)"
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return
                "its certificate is not trusted: it has expired, or no trusted authority issued it; check ca_file"
        }
        let words = text.matches(of: /OPENSSL_internal:([A-Z0-9_]+)/).map { String($0.1) }
        return words.isEmpty ? text : "TLS handshake: \(words.joined(separator: ", "))"
    }

    /// Returns whether the server ended the TLS handshake because of this client's certificate (alerts of RFC 8446,
    /// section 6.2). The TLS library names the alerts only in its error messages.
    package static func refusesCertificate(_ error: any Error) -> Bool {
        let text = "\(error)"
        return text.contains("_ALERT_")
            && ["CERTIFICATE", "UNKNOWN_CA", "ACCESS_DENIED"].contains { text.contains($0) }
    }
}

extension Logger.Metadata {
    /// Returns metadata with a readable description of a connection error.
    static func of(_ error: any Error) -> Self { ["error": "\(ConnectError.text(of: error))"] }
}
