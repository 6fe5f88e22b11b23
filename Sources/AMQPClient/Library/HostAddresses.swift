import Addressing
import Glibc

enum HostAddresses {
    /// In the order in which the system would have them tried (RFC 6724).
    ///
    /// - Throws: ``AMQPError/Code/connectionFailed`` in the resolver's words.
    static func of(_ endpoint: Endpoint) throws(AMQPError) -> [String] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(endpoint.host, nil, &hints, &found)
        guard status == 0 else {
            throw AMQPError(
                .connectionFailed, "Connecting to \(endpoint): \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(found) }
        var addresses: [String] = []
        var next = found
        while let entry = next?.pointee {
            next = entry.ai_next
            if let text = text(of: entry), !addresses.contains(text) { addresses.append(text) }
        }
        return addresses
    }

    private static func text(of entry: addrinfo) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
        guard status == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
