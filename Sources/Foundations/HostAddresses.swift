import Glibc

/// Look-ups of host names through the system's resolver. A look-up blocks the thread until the resolver answers.
package enum HostAddresses {
    package struct Failure: Error, Sendable {
        /// The message from the resolver.
        package let reason: String
    }

    /// Returns the addresses of a host in the system's order of preference (RFC 6724). The result has at least one
    /// address.
    package static func of(_ host: String) throws(Failure) -> [String] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &found)
        guard status == 0 else { throw Failure(reason: String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(found) }
        var addresses: [String] = []
        var next = found
        while let entry = next?.pointee {
            next = entry.ai_next
            if let text = text(of: entry), !addresses.contains(text) { addresses.append(text) }
        }
        guard !addresses.isEmpty else { throw Failure(reason: "the name has no address") }
        return addresses
    }

    /// Returns whether a host is a name that must be looked up, and not an address.
    package static func isName(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) != 1 && inet_pton(AF_INET6, host, &address) != 1
    }

    private static func text(of entry: addrinfo) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
        guard status == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
