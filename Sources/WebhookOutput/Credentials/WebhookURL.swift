package import Foundations
import HTTP2Pool

/// The URL to which batches are sent. A URL that parsers may read in different ways is rejected.
package struct WebhookURL: Sendable, Hashable {
    package let endpoint: Endpoint
    /// Whether the URL begins with `http:`.
    package let isPlain: Bool
    /// The path, including the query.
    package let path: String
    /// The value of `Host` in requests, with the port unless it is the scheme's default.
    package let authority: String

    /// Parses a URL.
    ///
    /// - Throws: ``WebhookFault``. It does not quote the text, because the path may be a secret.
    package init(_ text: String) throws(WebhookFault) {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            throw WebhookFault(
                "the URL has a character that must be percent-encoded, or a host that must be in Punycode")
        }
        let scheme = text.lowercased()
        guard scheme.hasPrefix("https://") || scheme.hasPrefix("http://") else {
            throw WebhookFault("the URL does not begin with https:// or http://")
        }
        isPlain = scheme.hasPrefix("http://")
        let rest = text.dropFirst(isPlain ? 7 : 8)
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest.dropFirst(authority.count)
        guard !path.contains("#") else { throw WebhookFault("the URL has a fragment, which is never sent to a server") }
        guard !authority.contains("@") else {
            throw WebhookFault("the URL has a user or a password: receivers authenticate requests by their signature")
        }
        self.path = path.hasPrefix("/") ? String(path) : "/\(path)"
        let usual = isPlain ? 80 : 443
        do {
            endpoint = try Endpoint(authority.lowercased(), defaultPort: usual)
        } catch {
            throw WebhookFault("the URL has no host, or an invalid port")
        }
        let isAddress = endpoint.isAddress && endpoint.host.contains(":") == authority.hasPrefix("[")
        guard endpoint.port > 0, isAddress || Self.isName(endpoint.host) else {
            throw WebhookFault("the URL's host is neither a name nor an address in canonical form")
        }
        self.authority = endpoint.port == usual ? String("\(endpoint)".dropLast("\(usual)".count + 1)) : "\(endpoint)"
    }

    /// Returns whether a host is a DNS name. The last label of a name must not begin with a digit, because the host
    /// could then be an unusual form of an IPv4 address.
    private static func isName(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last?.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last) else {
            return false
        }
        return labels.allSatisfy { label in
            !label.isEmpty && label.utf8.count <= 63
                && label.utf8.allSatisfy {
                    switch $0 {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                        UInt8(ascii: "-"),
                        UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
    }
}

/// A problem with a URL, a secret or the JSON of a credential.
package struct WebhookFault: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
