package import NIOCore

/// A selector of the address for the next connection. It remembers failed addresses. A value type without clock or I/O.
///
/// The selector prefers the address to which the pool has the fewest connections, because Apple asks clients to spread
/// their connections. An address that failed is avoided for a minute. If all addresses have failed, the one with
/// the oldest failure is chosen.
package struct AddressSelector {
    package static let avoidanceMilliseconds: Int64 = 60_000

    private var failures: [SocketAddress: Int64] = [:]

    package init() {}

    package mutating func failed(_ address: SocketAddress, nowMilliseconds now: Int64) {
        // Old failures are removed, because DNS may no longer return their addresses.
        failures = failures.filter { now - $0.value < Self.avoidanceMilliseconds }
        failures[address] = now
    }

    package mutating func succeeded(_ address: SocketAddress) {
        failures[address] = nil
    }

    /// Returns the best address for the next connection, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - addresses: The addresses of the name. The first of several equally good addresses is chosen.
    ///   - connections: A function that returns the number of the pool's connections to an address.
    package func best(
        of addresses: [SocketAddress], connections: (SocketAddress) -> Int, nowMilliseconds now: Int64
    ) -> SocketAddress? {
        addresses.min { rank($0, connections, now) < rank($1, connections, now) }
    }

    private func rank(
        _ address: SocketAddress, _ connections: (SocketAddress) -> Int, _ now: Int64
    ) -> (Int64, Int) {
        guard let failedAt = failures[address], now - failedAt < Self.avoidanceMilliseconds else {
            return (.min, connections(address))
        }
        return (failedAt, connections(address))
    }
}
