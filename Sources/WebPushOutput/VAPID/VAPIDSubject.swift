/// Whom a push service writes to when something is wrong (`sub` of RFC 8292, section 2.1): a `mailto:` address or an
/// https URL.
package enum VAPIDSubject {
    /// Apple refuses every message of a subject that it does not take for one, so what it is known to refuse is refused
    /// here: spaces, angle brackets, and hosts that are nobody's.
    ///
    /// - Returns: what is wrong; nil: nothing.
    package static func problem(of text: String) -> String? {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains(where: { "<>\"\\".contains($0) })
        else { return "must have no spaces, quotes or angle brackets: mailto:push@example.com" }
        guard let host = host(of: text) else { return "must be mailto:push@example.com or an https URL" }
        guard host.contains("."), PushEndpoint.isName(host.utf8), !host.hasSuffix(".local"),
            !host.hasSuffix(".localhost")
        else { return "must name a host of the internet: Apple refuses all messages otherwise" }
        return nil
    }

    private static func host(of text: String) -> String? {
        let lower = text.lowercased()
        if lower.hasPrefix("mailto:") {
            let address = lower.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
            return address.count == 2 && address.allSatisfy { !$0.isEmpty } ? String(address[1]) : nil
        }
        guard lower.hasPrefix("https://") else { return nil }
        let authority = lower.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return authority.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init)
    }
}
