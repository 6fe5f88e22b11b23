import Foundation
import Synchronization

/// Stands between a client and the broker, on loopback, and breaks the connection in the ways a network does.
final class TCPProxy: Sendable {
    private struct Pair {
        let number: Int
        let client: Int32
        let server: Int32
    }

    private struct State {
        var pairs: [Pair] = []
        var pairCount = 0
        /// Pairs below these numbers are frozen or stalled; later ones are not.
        var frozenEnd = 0
        var stalledEnd = 0
        var isListening = true
    }

    private let listener: Int32
    private let target: UInt16
    private let state = Mutex(State())
    let port: UInt16

    /// - Parameter target: the broker's port on 127.0.0.1.
    init(target: UInt16) throws {
        self.target = target
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.loopback(port: 0)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                return bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard status else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { self.accept() }
    }

    /// Breaks all connections, as a broker that dies.
    func cut() {
        state.withLock { state in
            for pair in state.pairs { Self.shutDown(pair) }
            state.pairs = []
        }
    }

    /// Passes nothing on any more over the present connections, and says nothing, as a cable that is pulled.
    func freeze() {
        state.withLock { $0.frozenEnd = $0.pairCount }
    }

    /// Takes nothing more from the clients of the present connections, as a broker that hangs.
    func stall() {
        state.withLock { $0.stalledEnd = $0.pairCount }
    }

    func stop() {
        state.withLock { $0.isListening = false }
        cut()
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while state.withLock({ $0.isListening }) {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { continue }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.loopback(port: target)
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            let pair = state.withLock { state in
                let pair = Pair(number: state.pairCount, client: client, server: server)
                state.pairCount += 1
                state.pairs.append(pair)
                return pair
            }
            Thread.detachNewThread { self.forward(from: client, to: server, pair) }
            Thread.detachNewThread { self.forward(from: server, to: client, pair) }
        }
        close(listener)
    }

    private func forward(from source: Int32, to target: Int32, _ pair: Pair) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            if count <= 0 { break }
            let (isFrozen, isStalled) = state.withLock { (pair.number < $0.frozenEnd, pair.number < $0.stalledEnd) }
            if isStalled && source == pair.client { return }
            if isFrozen { continue }
            var sent = 0
            while sent < count {
                let part = buffer[sent..<count].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(truncatingIfNeeded: MSG_NOSIGNAL))
                }
                if part <= 0 { break }
                sent += part
            }
        }
        Self.shutDown(pair)
    }

    /// The descriptors stay taken until the process ends: the other direction may still be using them.
    private static func shutDown(_ pair: Pair) {
        shutdown(pair.client, Int32(SHUT_RDWR))
        shutdown(pair.server, Int32(SHUT_RDWR))
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }
}
