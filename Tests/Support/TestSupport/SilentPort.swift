import Foundation

/// A loopback port that accepts connections while this object exists, but never sends anything. The kernel accepts the
/// connections, and no thread reads from them.
package final class SilentPort: Sendable {
    package let port: Int
    private let descriptor: Int32

    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 512) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isListening else {
            throw Failure(description: "can't open a silent port: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }
}
