import Addressing
import AMQPClient
import TestSupport
import TestTraits
import Testing

@Suite(
    "Budget of bytes on a broker", .needsBroker, .endsAHang)
struct ByteBudgetTests {
    private static let size = 100_000

    /// 20 MB: more than the sockets between us and the broker hold.
    private func consumer(
        of count: Int = 200, _ configuration: AMQPConfiguration, budget: AMQPByteBudget
    ) async throws -> TestConsumer {
        let queue = TestBroker.queue("bytes")
        try await TestPublisher.publish(
            Array(repeating: Array(repeating: 7, count: Self.size), count: count), to: queue)
        let test = try TestConsumer(
            configuration, queues: [.init(name: queue.name, prefetch: 1_000, tagIndex: 3)], budget: budget)
        test.start()
        return test
    }

    private func settle(_ deliveries: some Sequence<AMQPDelivery>, _ test: TestConsumer, _ budget: AMQPByteBudget) {
        for delivery in deliveries { budget.release(delivery) }
        test.consumer.acknowledge(deliveries.map { AMQPAcknowledgement($0.tag) })
    }

    @Test("no more is read than may be held, for longer than a dead connection lasts, and the rest when there is room")
    func pause() async throws {
        var configuration = try TestBroker.configuration()
        // With one second a busy machine's broker may give up first.
        configuration.heartbeatSeconds = 3
        configuration.longestPause = .seconds(30)
        let budget = AMQPByteBudget(limit: 5 * Self.size)
        let test = try await consumer(configuration, budget: budget)
        try await test.log.wait("five deliveries") { $0.deliveries.count == 5 }
        // Longer than either side waits for a sign of life.
        try await Task.sleep(for: .seconds(8))
        #expect(test.log.events.deliveries.count == 5 && budget.held == 5 * Self.size)
        #expect(test.log.events.failures == [])

        var settled = 0
        while settled < 200 {
            let open = Array(test.log.events.deliveries.dropFirst(settled))
            #expect(open.count <= 5 && open.allSatisfy { $0.tag.queueIndex == 3 })
            settle(open.prefix(1), test, budget)
            settled += 1
            let wanted = min(settled + 5, 200)
            try await test.log.wait("delivery \(wanted)") { $0.deliveries.count >= wanted }
        }
        #expect(budget.held == 0)
        await test.consumer.close()
        #expect(test.log.events.failures == [])
    }

    /// RabbitMQ closes a connection that takes nothing for 30 s.
    @Test("a little is read now and then all the same, so that the broker does not take the connection for dead")
    func longPause() async throws {
        var configuration = try TestBroker.configuration()
        configuration.longestPause = .milliseconds(500)
        let budget = AMQPByteBudget(limit: 5 * Self.size)
        let start = ContinuousClock.now
        let test = try await consumer(configuration, budget: budget)
        // A mebibyte each time: 11 of them.
        for pauses in 1...3 {
            try await test.log.wait("pause \(pauses)") { $0.deliveries.count >= 5 + 11 * pauses }
            #expect(ContinuousClock.now - start >= .milliseconds(500 * pauses))
        }
        let count = test.log.events.deliveries.count
        let pauses = Int((ContinuousClock.now - start) / .milliseconds(500)) + 1
        // A mebibyte each time, and as much to spare.
        #expect(count <= 5 + 22 * pauses && test.log.events.failures == [])
        settle(test.log.events.deliveries, test, budget)
        await test.consumer.close()
    }

    @Test("one larger than the budget still comes, alone")
    func large() async throws {
        let budget = AMQPByteBudget(limit: 1)
        let test = try await consumer(of: 3, try TestBroker.configuration(), budget: budget)
        for number in 1...3 {
            try await test.log.wait("delivery \(number)") { $0.deliveries.count == number }
            #expect(budget.held == Self.size)
            settle(test.log.events.deliveries.suffix(1), test, budget)
        }
        await test.consumer.close()
    }

    @Test("a connection that is cut while nothing is read is made again")
    func cut() async throws {
        var configuration = try TestBroker.configuration()
        configuration.heartbeatSeconds = 3
        let endpoint = try #require(configuration.endpoints.first)
        let proxy = try TCPProxy(target: UInt16(clamping: endpoint.port))
        defer { proxy.stop() }
        configuration.endpoints = [.init(host: "127.0.0.1", port: Int(proxy.port))]
        let budget = AMQPByteBudget(limit: 2 * Self.size)
        let test = try await consumer(configuration, budget: budget)
        try await test.log.wait("two deliveries") { $0.deliveries.count == 2 }
        proxy.cut()
        try await test.log.wait("the loss") { $0.failures.count == 1 }
        for delivery in test.log.events.deliveries { budget.release(delivery) }
        try await test.log.wait("two more") { $0.deliveries.count >= 4 }
        #expect(test.log.events.connections == 2)
        await test.consumer.close()
    }
}
