import Foundation
import Foundations

/// A proxy between a client and a server on loopback. It breaks connections in the ways a network does.
package final class TCPProxy: Sendable {
    /// The connection of one client. Two threads use its descriptors, and the last one to finish closes them.
    private final class Pair: Sendable {
        let number: Int
        let client: Int32
        let server: Int32
        private let users = Atomic(2)

        init(number: Int, client: Int32, server: Int32) {
            self.number = number
            self.client = client
            self.server = server
        }

        func shutDown() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }

        /// Records that one of the threads has finished.
        /// - Returns: whether it was the last one.
        func isDone() -> Bool {
            guard users.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return false }
            close(client)
            close(server)
            return true
        }
    }

    private struct State {
        var pairs: [Int: Pair] = [:]
        var pairCount = 0
        /// The ends of the ranges of frozen and stalled pairs. Pairs with these numbers or higher ones are not
        /// affected.
        var frozenEnd = 0
        var stalledEnd = 0
        var delayMicroseconds: UInt32 = 0
        var isListening = true
        /// Whether the listener's descriptor is closed and may belong to another connection of the process.
        var isClosed = false
    }

    private let listener: Int32
    private let target: UInt16
    private let state = Mutex(State())
    package let port: UInt16

    /// - Parameter target: the server's port on 127.0.0.1.
    package init(target: UInt16) throws {
        self.target = target
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.loopback(port: 0)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                return bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard status else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { self.accept() }
    }

    /// Breaks all connections, like a server that dies.
    package func cut() {
        state.withLock { for pair in $0.pairs.values { pair.shutDown() } }
    }

    /// Stops forwarding data over the present connections without closing them, like a cable that is pulled.
    package func freeze() {
        state.withLock { $0.frozenEnd = $0.pairCount }
    }

    /// Stops reading from all current clients, like a server that hangs.
    package func stall() {
        state.withLock { $0.stalledEnd = $0.pairCount }
    }

    /// Delays all data in both directions.
    package func setDelay(milliseconds: Int) {
        state.withLock { $0.delayMicroseconds = UInt32(milliseconds * 1_000) }
    }

    package func stop() {
        state.withLock { state in
            state.isListening = false
            if !state.isClosed { shutdown(listener, Int32(SHUT_RDWR)) }
        }
        cut()
    }

    private func accept() {
        while state.withLock({ $0.isListening }) {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { continue }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.loopback(port: target)
            let isConnected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard isConnected == 0 else {
                close(client)
                close(server)
                continue
            }
            // Small messages of protocols with requests and answers must not wait for each other.
            var on: Int32 = 1
            for descriptor in [client, server] {
                setsockopt(
                    descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            let pair = state.withLock { state in
                let pair = Pair(number: state.pairCount, client: client, server: server)
                state.pairCount += 1
                state.pairs[pair.number] = pair
                return pair
            }
            Thread.detachNewThread { self.forward(from: client, to: server, pair) }
            Thread.detachNewThread { self.forward(from: server, to: client, pair) }
        }
        state.withLock { state in
            state.isClosed = true
            close(listener)
        }
    }

    private func forward(from source: Int32, to target: Int32, _ pair: Pair) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            if count <= 0 { break }
            let (isFrozen, isStalled, delay) = state.withLock {
                (pair.number < $0.frozenEnd, pair.number < $0.stalledEnd, $0.delayMicroseconds)
            }
            if isStalled && source == pair.client { return leave(pair) }
            if isFrozen { continue }
            if delay > 0 { usleep(delay) }
            var sent = 0
            while sent < count {
                let part = buffer[sent..<count].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(truncatingIfNeeded: MSG_NOSIGNAL))
                }
                if part <= 0 { break }
                sent += part
            }
        }
        pair.shutDown()
        leave(pair)
    }

    private func leave(_ pair: Pair) {
        // The lock keeps `cut` from shutting down a descriptor that is already closed and in use by another connection.
        state.withLock { state in
            if pair.isDone() { state.pairs[pair.number] = nil }
        }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }
}
