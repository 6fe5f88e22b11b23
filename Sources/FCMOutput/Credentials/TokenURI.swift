package import Addressing
import Foundation

/// Where a service account gets its access tokens, which is also for whom its assertions are made.
package struct TokenURI: Sendable, Hashable {
    package let text: String
    package let endpoint: Endpoint
    let path: String

    /// - Throws: ``ServiceAccount/Fault``.
    package init(_ text: String) throws(ServiceAccount.Fault) {
        guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == "https", let host = parts.host,
            !host.isEmpty, 1...65_535 ~= parts.port ?? 443, parts.user == nil, parts.password == nil,
            parts.fragment == nil, parts.query == nil
        else { throw ServiceAccount.Fault(description: "has a token_uri that is no plain https URL") }
        self.text = text
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        endpoint = Endpoint(host: name.lowercased(), port: parts.port ?? 443)
        path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
    }

    /// Who has made the file decides where it points; our assertions go to Google only, or where the configuration says.
    package func isAllowed(beside other: Endpoint?) -> Bool {
        if let other, other.host.lowercased() == endpoint.host, other.port == endpoint.port { return true }
        // Older files name the second.
        return endpoint.port == 443
            && (endpoint.host.hasSuffix(".googleapis.com") || endpoint.host == "accounts.google.com")
    }
}
