import Foundation
import Foundations

/// A loopback port that refuses connections while this object exists. It is bound without a listener, so that no other
/// test gets it.
package final class RefusingPort: Sendable {
    package let port: Int
    private let descriptor: Int32

    package convenience init() throws { try self.init(at: 0) }

    /// - Parameter wanted: the port, or 0 for any port.
    fileprivate init(at wanted: UInt16) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
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
            close(descriptor)
            throw Failure(description: "can't open a refusing port: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }
}

/// Returns a free loopback port for a server that needs its port number in advance.
///
/// The port is below the ports that the system assigns (`ip_local_port_range`), so that no outgoing connection and no
/// other test's listener takes it before the server does.
package func freePort() throws -> Int {
    for _ in 0..<100 {
        let wanted = UInt16.random(in: 10_240..<32_000)
        guard handedOut.withLock({ $0.insert(wanted).inserted }) else { continue }
        if let port = try? RefusingPort(at: wanted) { return port.port }
    }
    throw Failure(description: "no free port between 10240 and 32000")
}

private let handedOut = Mutex<Set<UInt16>>([])
