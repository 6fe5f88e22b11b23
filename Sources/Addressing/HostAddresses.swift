import Glibc

/// What the system knows of a host's name. Blocks for as long as the system's resolver does.
package enum HostAddresses {
    package struct Failure: Error, Sendable {
        /// In the resolver's words.
        package let reason: String
    }

    /// In the order in which the system would have them tried (RFC 6724); at least one.
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

    /// Whether it has to be looked up: it is no address.
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
