import Foundation

/// A loopback port where connections are refused for as long as this lives. Bound and not listened on, so that no other
/// test is given it meanwhile.
package final class RefusingPort: Sendable {
    package let port: Int
    private let descriptor: Int32

    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        guard bound else {
            throw Failure(description: "no port to refuse on: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }
}

/// A loopback port that nobody has just now, for a server that is told its port.
package func freePort() throws -> Int { try RefusingPort().port }
