package import Foundations
import Foundation

/// The URL from which a service account requests access tokens, and the audience of its assertions.
package struct TokenURI: Sendable, Hashable {
    package let text: String
    package let endpoint: Endpoint
    let path: String

    /// Parses the `token_uri` of a service account's file.
    ///
    /// - Throws: ``ServiceAccount/Fault`` if the text is not an https URL, or if the URL has a user, password, query or
    ///   fragment.
    package init(_ text: String) throws(ServiceAccount.Fault) {
        // URLComponents would silently percent-encode control characters and spaces.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let parts = URLComponents(string: text),
            parts.scheme?.lowercased() == "https", let host = parts.host, !host.isEmpty,
            1...65_535 ~= parts.port ?? 443, parts.user == nil, parts.password == nil, parts.fragment == nil,
            parts.query == nil
        else { throw ServiceAccount.Fault(description: "has a token_uri that is not a plain https URL") }
        self.text = text
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        endpoint = Endpoint(host: name.lowercased(), port: parts.port ?? 443)
        path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
    }

    /// Returns the reason why Martlet requests no access tokens from this URL, or `nil` if the URL is allowed. The
    /// service account's file may name any URL, so assertions go only to Google or to the configured endpoint.
    ///
    /// - Parameter other: the endpoint that the configuration allows in addition to Google's.
    package func problem(allowing other: Endpoint?) -> String? {
        if let other, other.port == endpoint.port, Self.name(of: other.host) == Self.name(of: endpoint.host) {
            return nil
        }
        // Older files of service accounts name accounts.google.com.
        if endpoint.port == 443, endpoint.host.hasSuffix(".googleapis.com") || endpoint.host == "accounts.google.com" {
            return nil
        }
        let setting = other.map { "fcm.token_endpoint is \($0)" } ?? "fcm.token_endpoint is not set"
        return
            "token_uri \(text) is not Google's, and \(setting): correct the file, or set fcm.token_endpoint to \(endpoint)"
    }

    /// Returns a host name for comparison. `localhost`, `::1` and all addresses that begin with `127.` are equal.
    private static func name(of host: String) -> String {
        let host = host.lowercased()
        return host == "::1" || host.wholeMatch(of: /127(\.[0-9]{1,3}){3}/) != nil ? "localhost" : host
    }
}
