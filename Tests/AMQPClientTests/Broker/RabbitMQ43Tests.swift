import AMQPClient
import TestSupport
import TestTraits
import Testing

/// Changes in RabbitMQ 4.3 that Martlet relies on (rabbitmq.com, "Quorum Queues").
@Suite(
    .needsBroker, .endsAHang,
    .enabled("the broker is RabbitMQ 4.3 or later") {
        let broker = try await AMQPInspection.look(at: AMQPTopology(), on: TestBroker.configuration()).broker
        return BrokerVersion(String(broker.dropFirst("RabbitMQ ".count))).map {
            $0 >= BrokerVersion(major: 4, minor: 3)
        }
            == true
    })
struct RabbitMQ43Tests {
    private static func counts(_ delivery: AMQPDelivery) -> [Int64?] {
        ["x-acquired-count", "x-delivery-count"].map { delivery.properties.headers[$0]?.integer }
    }

    private static func queue(_ name: String) -> AMQPQueue {
        TestBroker.queue(name, arguments: ["x-queue-type": "quorum"])
    }

    @Test func countsRejectionsAndLostConnectionsAsDeliveries() async throws {
        let queue = Self.queue("counters")
        try await TestPublisher.publish([[1]], to: queue)
        let first = try TestConsumer(queues: [.init(name: queue.name, prefetch: 1)])
        first.start()
        try await first.log.wait("the first delivery") { $0.deliveries.count == 1 }
        #expect(Self.counts(first.log.events.deliveries[0]) == [nil, nil])
        first.consumer.reject([first.log.events.deliveries[0].tag], requeue: true)
        try await first.log.wait("the redelivery") { $0.deliveries.count == 2 }
        #expect(Self.counts(first.log.events.deliveries[1]) == [1, 1])
        await first.consumer.close()
        let second = try TestConsumer(queues: [.init(name: queue.name, prefetch: 1)])
        second.start()
        try await second.log.wait("the delivery over another connection") { $0.deliveries.count == 1 }
        #expect(Self.counts(second.log.events.deliveries[0]) == [2, 2])
        await second.consumer.close()
    }

    /// The broker cancels the consumer. The client then creates the consumer again over another connection.
    @Test func redeliversAfterConsumerTimeoutAndIgnoresLateAcknowledgement() async throws {
        let queue = Self.queue("timeout")
        try await TestPublisher.publish([[1]], to: queue)
        let test = try TestConsumer(
            queues: [.init(name: queue.name, prefetch: 10, arguments: ["x-consumer-timeout": .int64(1_000)])])
        test.start()
        try await test.log.wait("the redelivery", timeout: .seconds(90)) { $0.deliveries.count == 2 }
        #expect(test.log.events.failures.first?.code == .consumerCancelled)
        let deliveries = test.log.events.deliveries
        #expect(deliveries[1].isRedelivered)
        #expect(Self.counts(deliveries[1]) == [1, nil], "a timeout counts only as an acquisition")
        test.consumer.acknowledge([AMQPAcknowledgement(deliveries[0].tag)])
        try await test.log.wait("the redelivery after a late acknowledgement", timeout: .seconds(90)) {
            $0.deliveries.count == 3
        }
        // On a busy machine, further acknowledgements may also be late.
        var acknowledged = 2
        try await eventually("a timely acknowledgement settles the message") {
            let new = test.log.events.deliveries.dropFirst(acknowledged)
            acknowledged += new.count
            test.consumer.acknowledge(new.map { AMQPAcknowledgement($0.tag) })
            let left = try await AMQPInspection.look(at: AMQPTopology(queues: [queue]), on: TestBroker.configuration())
            return left.queues[queue.name]?.messages == 0
        }
        await test.consumer.close()
    }

    /// A worker requests a timeout of 30 minutes. The other consumer requests none, and its redeliveries show that the
    /// queue's timeout of 1 s has expired.
    @Test func prefersTimeoutOfConsumerOverQueue() async throws {
        func consumer(_ name: String, _ arguments: AMQPFieldTable) async throws -> TestConsumer {
            let queue = TestBroker.queue(
                name, arguments: ["x-queue-type": "quorum", "x-consumer-timeout": .int64(1_000)])
            try await TestPublisher.publish([[1]], to: queue)
            let consumer = try TestConsumer(queues: [.init(name: queue.name, prefetch: 1, arguments: arguments)])
            consumer.start()
            try await consumer.log.wait("the first delivery") { $0.deliveries.count == 1 }
            return consumer
        }
        let patient = try await consumer("patient", ["x-consumer-timeout": .int64(1_800_000)])
        let other = try await consumer("other", [:])
        try await other.log.wait("two redeliveries", timeout: .seconds(600)) { $0.deliveries.count == 3 }
        #expect(patient.log.events.deliveries.count == 1 && patient.log.events.failures.isEmpty)
        await patient.consumer.close()
        await other.consumer.close()
    }

    /// The effect of a publisher's `priority` within its lane (docs/publish.md).
    @Test func deliversByPriorityWithDefaultOfFour() async throws {
        let queue = Self.queue("priority")
        let publisher = try TestPublisher(topology: AMQPTopology(queues: [queue]))
        try await publisher.connectOnce()
        let priorities: [UInt8?] = [0, nil, 4, 9, 0, nil, 4, 9]
        try await publisher.publisher.publishAndWait(
            priorities.enumerated().map { index, priority in
                AMQPPublication(
                    id: UInt64(index), exchange: "", routingKey: queue.name, isMandatory: true,
                    properties: AMQPProperties(priority: priority), body: [UInt8(index)])
            })
        await publisher.publisher.close()
        let test = try TestConsumer(queues: [.init(name: queue.name, prefetch: 100)])
        test.start()
        try await test.log.wait("all deliveries") { $0.deliveries.count == priorities.count }
        #expect(test.log.events.deliveries.map { Int($0.body[0]) } == [3, 7, 1, 2, 5, 6, 0, 4])
        test.consumer.acknowledge(test.log.events.deliveries.map { AMQPAcknowledgement($0.tag) })
        await test.consumer.close()
    }
}
