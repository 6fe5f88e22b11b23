import HTTP2Pool
import NIOCore
import Testing

@Suite struct AddressSelectorTests {
    private let addresses: [SocketAddress]

    init() throws {
        addresses = try (1...3).map { try SocketAddress(ipAddress: "127.0.0.\($0)", port: 443) }
    }

    private func best(_ selector: AddressSelector, connections: [Int] = [0, 0, 0], now: Int64) -> Int? {
        selector.best(
            of: addresses, connections: { address in addresses.firstIndex(of: address).map { connections[$0] } ?? 0 },
            nowMilliseconds: now
        ).flatMap(addresses.firstIndex)
    }

    @Test(arguments: [([0, 0, 0], 0), ([1, 0, 0], 1), ([1, 1, 0], 2), ([1, 1, 1], 0), ([3, 2, 4], 1)])
    func choosesAddressWithFewestConnections(connections: [Int], place: Int) {
        #expect(best(AddressSelector(), connections: connections, now: 0) == place)
    }

    @Test func avoidsFailedAddressForOneMinute() {
        var selector = AddressSelector()
        selector.failed(addresses[0], nowMilliseconds: 1_000)
        #expect(best(selector, connections: [0, 9, 8], now: 1_000) == 2)
        #expect(best(selector, connections: [0, 9, 8], now: 60_999) == 2)
        #expect(best(selector, connections: [0, 9, 8], now: 61_000) == 0)
    }

    @Test func usesFailedAddressAgainAfterSuccess() {
        var selector = AddressSelector()
        selector.failed(addresses[0], nowMilliseconds: 1_000)
        selector.succeeded(addresses[0])
        #expect(best(selector, connections: [0, 9, 8], now: 1_001) == 0)
    }

    @Test func choosesOldestFailureWhenAllAddressesFailed() {
        var selector = AddressSelector()
        for (place, time) in [(1, 1_000), (2, 2_000), (0, 3_000)] as [(Int, Int64)] {
            selector.failed(addresses[place], nowMilliseconds: time)
        }
        #expect(best(selector, connections: [0, 9, 0], now: 4_000) == 1)
        selector.failed(addresses[1], nowMilliseconds: 5_000)
        #expect(best(selector, connections: [0, 9, 0], now: 6_000) == 2)
    }

    @Test func returnsNilWithoutAddresses() {
        #expect(AddressSelector().best(of: [], connections: { _ in 0 }, nowMilliseconds: 0) == nil)
    }
}
