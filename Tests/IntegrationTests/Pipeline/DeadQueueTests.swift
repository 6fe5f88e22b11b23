import AMQPClient
import Contract
import DeliveryPipeline
import Logging
import TestSupport
import TestTraits
import Testing
import Foundations

@Suite(.needsServers)
struct DeadQueueTests {
    /// A command that lists the dead jobs requeues them, and the broker counts each requeue as a delivery.
    @Test func keepsDeadJobWhenListedRepeatedly() async throws {
        try await Installation.with { installation in
            let topology = installation.names.topology(delays: [])
            let broker = try installation.brokerConfiguration()
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let publisher = try AMQPPublisher(configuration: broker, topology: topology, logger: logger)
            try await publisher.connectOnce()
            try await publisher.publishAndWait([
                AMQPPublication(id: 1, exchange: installation.names.dead, routingKey: "normal", body: [1])
            ])
            await publisher.close()

            let looks = Mutex(0)
            let reader = try AMQPConsumer(
                configuration: broker, topology: topology,
                queues: [AMQPConsumedQueue(name: installation.names.dead, prefetch: 10)], logger: logger)
            try await reader.connectOnce { event in
                guard case .deliveries(let deliveries) = event else { return }
                let look = looks.withLock { looks in
                    looks += 1
                    return looks
                }
                // Thirty deliveries exceed the default delivery limit of RabbitMQ 4.
                if look < 30 { reader.reject(deliveries.map(\.tag), requeue: true) }
            }
            try await eventually("thirty deliveries, not \(looks.withLock { $0 })") { looks.withLock { $0 } == 30 }
            await reader.close()
            let left = try await installation.broker.messages(in: installation.names.dead)
            #expect(left.count == 1)
        }
    }
}
