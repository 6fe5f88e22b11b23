package import NIOCore

/// Which of a name's addresses the next connection goes to. A value: no clock, no I/O.
///
/// Those with the fewest connections of ours come first, as Apple asks to spread them. One that failed is
/// avoided for a minute, unless all have failed: then the one whose failure is longest ago.
package struct AddressBook {
    package static let avoidanceMilliseconds: Int64 = 60_000

    private var failures: [SocketAddress: Int64] = [:]

    package init() {}

    package mutating func failed(_ address: SocketAddress, nowMilliseconds now: Int64) {
        // Addresses that DNS no longer gives must not stay for ever.
        failures = failures.filter { now - $0.value < Self.avoidanceMilliseconds }
        failures[address] = now
    }

    package mutating func succeeded(_ address: SocketAddress) {
        failures[address] = nil
    }

    /// - Parameters:
    ///   - addresses: of equal ones the first is chosen.
    ///   - connections: how many of ours each address has.
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
