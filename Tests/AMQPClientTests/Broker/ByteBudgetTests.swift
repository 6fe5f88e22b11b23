import Foundations
import AMQPClient
import TestSupport
import TestTraits
import Testing

@Suite(
    "Budget of bytes on a broker", .needsBroker, .endsAHang)
struct ByteBudgetTests {
    private static let size = 100_000

    /// Starts a consumer of a new queue. By default the queue holds 20 MB, which is more than fits into the socket
    /// buffers between client and broker.
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

    @Test("reading pauses at the limit for longer than the heartbeat time-out, and resumes after a release")
    func pausesReadingAtLimitAndResumes() async throws {
        var configuration = try TestBroker.configuration()
        // With a heartbeat of one second, a broker on a busy machine may close the connection.
        configuration.heartbeatSeconds = 3
        configuration.longestPause = .seconds(30)
        let budget = AMQPByteBudget(limit: 5 * Self.size)
        let test = try await consumer(configuration, budget: budget)
        try await test.log.wait("five deliveries") { $0.deliveries.count == 5 }
        // This time is longer than either side waits for a heartbeat.
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

    /// RabbitMQ closes a connection from which nothing is read for 30 s.
    @Test("short reads interrupt a long pause, so that the broker keeps the connection")
    func readsBrieflyDuringLongPause() async throws {
        var configuration = try TestBroker.configuration()
        configuration.longestPause = .milliseconds(500)
        let budget = AMQPByteBudget(limit: 5 * Self.size)
        let start = ContinuousClock.now
        let test = try await consumer(configuration, budget: budget)
        // Each pause ends with a read of one MiB, which is 11 messages.
        for pauses in 1...3 {
            try await test.log.wait("pause \(pauses)") { $0.deliveries.count >= 5 + 11 * pauses }
            #expect(ContinuousClock.now - start >= .milliseconds(500 * pauses))
        }
        let count = test.log.events.deliveries.count
        let pauses = Int((ContinuousClock.now - start) / .milliseconds(500)) + 1
        // This upper bound allows two MiB for each pause.
        #expect(count <= 5 + 22 * pauses && test.log.events.failures == [])
        settle(test.log.events.deliveries, test, budget)
        await test.consumer.close()
    }

    @Test("messages larger than the budget are delivered one at a time")
    func deliversOversizedMessagesOneAtATime() async throws {
        let budget = AMQPByteBudget(limit: 1)
        let test = try await consumer(of: 3, try TestBroker.configuration(), budget: budget)
        for number in 1...3 {
            try await test.log.wait("delivery \(number)") { $0.deliveries.count == number }
            #expect(budget.held == Self.size)
            settle(test.log.events.deliveries.suffix(1), test, budget)
        }
        await test.consumer.close()
    }

    @Test("the consumer reconnects if the connection is lost during a pause")
    func reconnectsIfConnectionIsLostDuringPause() async throws {
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
        try await test.log.wait("the loss of the connection") { $0.failures.count == 1 }
        for delivery in test.log.events.deliveries { budget.release(delivery) }
        try await test.log.wait("two more deliveries") { $0.deliveries.count >= 4 }
        #expect(test.log.events.connections == 2)
        await test.consumer.close()
    }
}
