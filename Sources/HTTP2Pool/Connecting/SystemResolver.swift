import Glibc
package import NIOCore

/// The system's name resolution.
package enum SystemResolver {
    /// Returns all TCP addresses of `host`, in the system's order. Blocks during the look-up.
    package static func addresses(host: String, port: Int) throws -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, nil, &hints, &list)
        guard result == 0 else {
            throw ConnectError.unknownName(host, String(cString: gai_strerror(result)))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = list
        while let info = entry?.pointee {
            entry = info.ai_next
            guard var address = info.ai_addr.flatMap({ Self.address($0, family: info.ai_family, host: host) }) else {
                continue
            }
            address.port = port
            if !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }

    private static func address(
        _ address: UnsafeMutablePointer<sockaddr>, family: Int32, host: String
    ) -> SocketAddress? {
        let raw = UnsafeRawPointer(address)
        switch family {
        case AF_INET: return SocketAddress(raw.loadUnaligned(as: sockaddr_in.self), host: host)
        case AF_INET6: return SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self), host: host)
        default: return nil
        }
    }
}
