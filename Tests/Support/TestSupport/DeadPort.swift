import Foundation

/// An address of this machine that neither accepts nor refuses connections while this object exists, because its accept
/// queue is full.
package final class DeadPort: Sendable {
    private let descriptors: [Int32]

    /// - Parameter address: a loopback address, such as 127.0.0.2.
    package init(address: String, port: UInt16) throws {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &place.sin_addr)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        func open() -> Int32 { socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0) }
        let listener = open()
        var descriptors = [listener]
        let isListening = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                guard bind(listener, place, length) == 0, listen(listener, 0) == 0 else { return false }
                for _ in 0..<4 {
                    let client = open()
                    _ = connect(client, place, length)
                    descriptors.append(client)
                }
                return true
            }
        }
        self.descriptors = descriptors
        guard isListening else {
            throw Failure(description: "\(address):\(port): \(String(cString: strerror(errno)))")
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
