/// The rules for the subject of a VAPID token: the contact to which a push service writes about problems (`sub` of RFC
/// 8292, section 2.1). It is a `mailto:` address or an https URL.
package enum VAPIDSubject {
    /// Reserved top-level domains, which do not exist on the internet (RFC 2606, 6761, 6762, 7686, 9476 and ICANN's
    /// `internal`).
    private static let reservedTopLevels: Set<Substring> = [
        "alt", "example", "internal", "invalid", "local", "localhost", "onion", "test",
    ]
    /// The second-level domains that are reserved for documentation (RFC 2606, section 3) and home networks (RFC 8375).
    /// All names below them are reserved too.
    private static let reservedDomains: Set = ["example.com", "example.net", "example.org", "home.arpa"]

    /// Returns the problem with a subject as the predicate of a sentence, or `nil` if the subject is valid. Apple
    /// refuses every message whose subject contains spaces or angle brackets, or names a host that is not on the
    /// internet. The check rejects such characters, and malformed, local or reserved hosts. Names are not looked up.
    package static func problem(of text: String) -> String? {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains(where: { "<>\"\\".contains($0) })
        else { return "must have no spaces, quotes or angle brackets: mailto:push@yourdomain.com" }
        guard let host = host(of: text) else { return "must be mailto:push@yourdomain.com or an https URL" }
        guard host.contains("."), PushEndpoint.isName(host.utf8) else {
            return "must name a public internet host: Apple refuses all messages otherwise"
        }
        guard !isReserved(host) else {
            return
                "names \(host), a reserved domain, so Apple refuses all messages: use a domain of your own"
        }
        return nil
    }

    /// Returns whether the domain of a host is reserved.
    ///
    /// - Parameter host: a name of at least two labels, in lower case.
    private static func isReserved(_ host: String) -> Bool {
        let labels = host.split(separator: ".")
        return labels.last.map(reservedTopLevels.contains) ?? true
            || reservedDomains.contains(labels.suffix(2).joined(separator: "."))
    }

    /// Returns the host of the address or URL in lower case, or `nil` if the text is neither.
    private static func host(of text: String) -> String? {
        let lower = text.lowercased()
        if lower.hasPrefix("mailto:") {
            let address = lower.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
            return address.count == 2 && address.allSatisfy { !$0.isEmpty } ? String(address[1]) : nil
        }
        guard lower.hasPrefix("https://") else { return nil }
        let authority = lower.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 1 || parts[1].first?.isNumber == true && UInt16(parts[1]).map({ $0 > 0 }) == true else {
            return nil
        }
        return parts.first.map(String.init)
    }
}
