/// A rule for the `Host` values that the status page accepts. It prevents DNS rebinding, in which a foreign web site
/// points its own host name at this worker's address so that its pages can read the status page. Addresses, loopback
/// names and configured names are safe, because the foreign site does not control them.
package struct HostRule: Sendable, Hashable {
    private let names: Set<String>

    /// Creates a rule.
    ///
    /// - Parameter names: the accepted names, in addition to loopback names and addresses.
    package init(names: some Sequence<String>) {
        self.names = Set(names.map { Self.plain($0[...]) })
    }

    /// Returns whether a request to the given authority is accepted.
    ///
    /// - Parameter authority: the `host[:port]` of the request, or `nil` if the request has none.
    package func allows(_ authority: String?) -> Bool {
        guard let authority, let host = Self.host(of: authority) else { return false }
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("[") || Self.isAddress(host)
            || names.contains(host)
    }

    /// Returns the host in lower case, without the port and a trailing dot, or `nil` if the authority is not valid. An
    /// IPv6 address keeps its brackets.
    private static func host(of authority: String) -> String? {
        var host = authority[...]
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            guard authority[authority.index(after: colon)...].utf8.allSatisfy(Self.isDigit) else { return nil }
            host = authority[..<colon]
        }
        let plain = plain(host)
        guard plain.hasPrefix("[") else { return plain.contains(":") || plain.isEmpty ? nil : plain }
        let inside = plain.dropFirst().dropLast()
        let isAddress = inside.contains(":") && inside.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        return plain.hasSuffix("]") && isAddress ? plain : nil
    }

    private static func plain(_ name: Substring) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isAddress(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { $0.utf8.allSatisfy(Self.isDigit) && UInt8($0) != nil }
    }
}
