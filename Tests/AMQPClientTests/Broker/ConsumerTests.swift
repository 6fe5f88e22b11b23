import AMQPClient
import TestTraits
import Testing

@Suite("Consumer on a broker", .needsBroker, .endsAHang)
struct ConsumerTests {
    @Test("acknowledged messages are removed, and the others are redelivered with the redelivered flag")
    func redeliversOnlyUnacknowledgedMessages() async throws {
        let queue = TestBroker.queue("ack")
        try await TestPublisher.publish((0..<10).map { [$0] }, to: queue)
        let first = try TestConsumer(queues: [.init(name: queue.name, prefetch: 100)])
        first.start()
        try await first.log.wait("ten deliveries") { $0.deliveries.count == 10 }
        let deliveries = first.log.events.deliveries
        #expect(deliveries.map(\.body) == (0..<10).map { [$0] })
        #expect(deliveries.allSatisfy { !$0.isRedelivered })
        first.consumer.acknowledge([
            AMQPAcknowledgement(deliveries[3].tag, multiple: true), AMQPAcknowledgement(deliveries[7].tag),
            // Both deliveries are already acknowledged, one of them by the multiple acknowledgement. Acknowledging them
            // again must not cause an error.
            AMQPAcknowledgement(deliveries[7].tag), AMQPAcknowledgement(deliveries[0].tag),
        ])
        await first.consumer.close()
        #expect(first.log.events.failures == [])

        let second = try TestConsumer(queues: [.init(name: queue.name, prefetch: 100)])
        second.start()
        try await second.log.wait("five deliveries") { $0.deliveries.count == 5 }
        await second.consumer.close()
        #expect(second.log.events.deliveries.map { $0.body[0] } == [4, 5, 6, 8, 9])
        #expect(second.log.events.deliveries.allSatisfy { $0.isRedelivered })
    }

    /// The broker discards acknowledgements that a busy quorum queue has not processed when the channel is closed.
    @Test("close gives the broker a second to process the last acknowledgements")
    func waitsForLastAcknowledgementsOnClose() async throws {
        let queue = TestBroker.queue("settling", arguments: ["x-queue-type": "quorum"])
        let count = 1_000
        try await TestPublisher.publish((0..<count).map { [UInt8($0 / 256), UInt8($0 % 256)] }, to: queue)
        let test = try TestConsumer(queues: [.init(name: queue.name, prefetch: 2_000)])
        test.start()
        try await test.log.wait("all deliveries") { $0.deliveries.count == count }
        let start = ContinuousClock.now
        // While the first delivery is open, each acknowledgement needs its own frame.
        test.consumer.acknowledge(test.log.events.deliveries.dropFirst().map { AMQPAcknowledgement($0.tag) })
        await test.consumer.close(timeout: .seconds(30))
        #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test("a rejected message is requeued or dropped, and a later multiple acknowledgement does not affect it")
    func requeuesOrDropsRejectedMessages() async throws {
        let queue = TestBroker.queue("reject")
        try await TestPublisher.publish([[0], [1], [2]], to: queue)
        let test = try TestConsumer(queues: [.init(name: queue.name, prefetch: 100)])
        try await test.connectOnce()
        try await test.log.wait("three deliveries") { $0.deliveries.count == 3 }
        let tags = test.log.events.deliveries.map(\.tag)
        test.consumer.reject([tags[0]], requeue: true)
        test.consumer.reject([tags[1]], requeue: false)
        test.consumer.acknowledge([AMQPAcknowledgement(tags[2], multiple: true)])
        try await test.log.wait("the redelivery") { $0.deliveries.count == 4 }
        let again = test.log.events.deliveries[3]
        #expect(again.body == [0])
        #expect(again.isRedelivered)
        test.consumer.acknowledge([AMQPAcknowledgement(again.tag)])
        await test.consumer.close()
        #expect(try await messagesLeft(in: queue) == [])
    }

    @Test("each queue has its own prefetch, which limits its open deliveries")
    func limitsOpenDeliveriesPerQueue() async throws {
        let queues = [TestBroker.queue("prefetch-1"), TestBroker.queue("prefetch-5")]
        for queue in queues { try await TestPublisher.publish((0..<10).map { [$0] }, to: queue) }
        let test = try TestConsumer(
            queues: [.init(name: queues[0].name, prefetch: 1), .init(name: queues[1].name, prefetch: 5)])
        test.start()
        try await test.log.wait("six deliveries") { $0.deliveries.count == 6 }

        // The messages beyond the prefetch go to a second consumer.
        let other = try TestConsumer(queues: queues.map { .init(name: $0.name, prefetch: 100) })
        other.start()
        try await other.log.wait("fourteen deliveries") { $0.deliveries.count == 14 }
        func count(_ test: TestConsumer, _ index: UInt16) -> Int {
            test.log.events.deliveries.count { $0.tag.queueIndex == index }
        }
        #expect([count(test, 0), count(test, 1)] == [1, 5])
        #expect([count(other, 0), count(other, 1)] == [9, 5])

        // An acknowledgement allows one more delivery.
        let tag = try #require(other.log.events.deliveries.first { $0.tag.queueIndex == 0 }).tag
        other.consumer.reject([tag], requeue: true)
        let mine = try #require(test.log.events.deliveries.first { $0.tag.queueIndex == 0 }).tag
        test.consumer.acknowledge([AMQPAcknowledgement(mine)])
        await other.consumer.close()
        try await test.log.wait("the next delivery") { $0.deliveries.count { $0.tag.queueIndex == 0 } == 2 }
        await test.consumer.close()
    }

    @Test("the prefetch of a queue changes during consumption without a lost or repeated delivery")
    func changesPrefetchWithoutLossOrRepetition() async throws {
        let count = 2_000
        let queue = TestBroker.queue("changing", arguments: ["x-queue-type": "quorum"])
        try await TestPublisher.publish((0..<count).map { [UInt8($0 / 256), UInt8($0 % 256)] }, to: queue)
        let test = try TestConsumer(queues: [.init(name: queue.name, prefetch: 4, tagIndex: 5)])
        test.start()
        try await test.log.wait("four deliveries") { $0.deliveries.count == 4 }
        test.consumer.setPrefetch(16, ofQueue: 5)
        try await test.log.wait("sixteen deliveries") { $0.deliveries.count == 16 }
        test.consumer.setPrefetch(64, ofQueue: 5)
        try await test.log.wait("64 deliveries") { $0.deliveries.count == 64 }

        // Open deliveries stay open. After they are acknowledged, only four more may arrive.
        test.consumer.setPrefetch(4, ofQueue: 5)
        test.consumer.acknowledge(test.log.events.deliveries.map { AMQPAcknowledgement($0.tag) })
        try await test.log.wait("four more deliveries") { $0.deliveries.count == 68 }

        // The prefetch rises and falls while deliveries are in transit.
        var settled = 64
        for round in 0..<10_000 {
            let deliveries = test.log.events.deliveries
            if deliveries.count == count { break }
            if round % 20 == 0 { test.consumer.setPrefetch(round % 40 == 0 ? 256 : 4, ofQueue: 5) }
            let most = settled + 1
            try await test.log.wait("more than \(settled) deliveries") { $0.deliveries.count >= most }
            let open = test.log.events.deliveries.dropFirst(settled)
            test.consumer.acknowledge(open.map { AMQPAcknowledgement($0.tag) })
            settled += open.count
        }
        let deliveries = test.log.events.deliveries
        #expect(Set(deliveries.map(\.body)).count == count && deliveries.count == count)
        #expect(Set(deliveries.map(\.tag)).count == count)
        test.consumer.acknowledge(deliveries.dropFirst(settled).map { AMQPAcknowledgement($0.tag) })
        test.consumer.stopConsuming()
        try await test.log.wait("the stop") { $0.isStopped }
        await test.consumer.close()
        #expect(test.log.events.failures == [])
        #expect(try await messagesLeft(in: queue) == [])
    }

    @Test("the broker prefers consumers with a higher priority, and deliveries from before the change stay valid")
    func lowersPriorityWithoutLossOrRepetition() async throws {
        let queue = TestBroker.queue("priority", arguments: ["x-queue-type": "quorum"])
        try await TestPublisher.publish((0..<4).map { [UInt8($0)] }, to: queue)
        let low = try TestConsumer(queues: [.init(name: queue.name, prefetch: 4)])
        low.start()
        try await low.log.wait("four deliveries") { $0.deliveries.count == 4 }
        let high = try TestConsumer(queues: [.init(name: queue.name, prefetch: 8)])
        high.start()
        try await high.log.wait("the connection") { $0.connections == 1 }
        low.consumer.setPriority(-1, ofQueues: [0])
        // A fifth delivery to `low` shows that its consumer was replaced, because four deliveries fill its prefetch.
        try await TestPublisher.publish((4..<13).map { [UInt8($0)] }, to: queue)
        try await high.log.wait("as many deliveries as the prefetch") { $0.deliveries.count == 8 }
        try await low.log.wait("the rest") { $0.deliveries.count == 5 }
        for test in [low, high] {
            test.consumer.acknowledge(test.log.events.deliveries.map { AMQPAcknowledgement($0.tag) })
        }
        for test in [low, high] {
            await test.consumer.close()
            #expect(test.log.events.failures == [])
        }
        #expect(try await messagesLeft(in: queue) == [])
    }

    @Test("after a stop no message is delivered, and open deliveries can be acknowledged")
    func acknowledgesOpenDeliveriesAfterStop() async throws {
        let queue = TestBroker.queue("stop")
        try await TestPublisher.publish([[0], [1]], to: queue)
        let test = try TestConsumer(queues: [.init(name: queue.name, prefetch: 100)])
        test.start()
        try await test.log.wait("two deliveries") { $0.deliveries.count == 2 }
        test.consumer.stopConsuming()
        try await test.log.wait("the stop") { $0.isStopped }
        try await TestPublisher.publish([[2]], to: queue)
        test.consumer.acknowledge(test.log.events.deliveries.map { AMQPAcknowledgement($0.tag) })
        await test.consumer.close()
        #expect(test.log.events.deliveries.count == 2)
        #expect(try await messagesLeft(in: queue) == [[2]])
        let last = try #require(test.log.events.last)
        guard case .closed(nil) = last else {
            Issue.record("expected a close without an error, got \(last)")
            return
        }
    }

    @Test("bodies of all sizes arrive unchanged")
    func deliversBodiesOfAllSizes() async throws {
        let queue = TestBroker.queue("bodies")
        // 131,064 bytes fill a frame exactly.
        let bodies = [0, 1, 131_063, 131_064, 131_065, 262_128, 5_000_000].map { count in
            (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        }
        try await TestPublisher.publish(bodies, to: queue)
        let test = try TestConsumer(queues: [.init(name: queue.name, prefetch: 100)])
        test.start()
        try await test.log.wait("all bodies") { $0.deliveries.count == bodies.count }
        #expect(test.log.events.deliveries.map(\.body.count) == bodies.map(\.count))
        #expect(test.log.events.deliveries.map(\.body) == bodies)
        await test.consumer.close()
    }

    @Test("every property and every type of header field arrives unchanged")
    func roundTripsPropertiesAndHeaders() async throws {
        let queue = TestBroker.queue("properties")
        let nested: AMQPFieldTable = ["empty": .table([:]), "text": .string("zwölf")]
        let headers: AMQPFieldTable = [
            "boolean": true, "int8": .int8(-8), "uint8": .uint8(200), "int16": .int16(-1600), "uint16": .uint16(60_000),
            "int32": .int32(-70_000), "uint32": .uint32(4_000_000_000), "int64": .int64(-5_000_000_000),
            "uint64": .uint64(1 << 63),
            "float": .float(1.5), "double": .double(-2.25), "decimal": .decimal(scale: 2, value: 314),
            "string": "text", "empty": "", "not UTF-8": .bytes([0xFF, 0x00]), "timestamp": .timestamp(1_700_000_000),
            "array": .array([.int32(1), "two", .array([]), .table(nested)]), "table": .table(nested), "void": .void,
        ]
        let properties = AMQPProperties(
            contentType: "application/json", contentEncoding: "identity", headers: headers, deliveryMode: .transient,
            priority: 7, correlationID: "correlation", replyTo: "reply", expiration: "60000", messageID: "message",
            timestamp: 1_700_000_001, type: "type", userID: try TestBroker.configuration().user, appID: "app")
        let publisher = try TestPublisher(topology: AMQPTopology(queues: [queue]))
        publisher.start()
        try await publisher.publisher.publishAndWait([
            AMQPPublication(
                id: 1, exchange: "", routingKey: queue.name, isMandatory: true, properties: properties, body: [1]),
            AMQPPublication(id: 2, exchange: "", routingKey: queue.name, isMandatory: true, body: [2]),
        ])
        await publisher.publisher.close()
        let test = try TestConsumer(queues: [.init(name: queue.name, prefetch: 100)])
        test.start()
        try await test.log.wait("both messages") { $0.deliveries.count == 2 }
        let deliveries = test.log.events.deliveries
        var expected = properties
        var received = deliveries[0].properties
        // RabbitMQ 4 sorts headers by name, and delivers an unsigned 64-bit number as a signed one.
        if received.headers["uint64"] == .int64(.min) { expected.headers["uint64"] = .int64(.min) }
        expected.headers = AMQPFieldTable(entries: expected.headers.entries.sorted { $0.key < $1.key })
        received.headers = AMQPFieldTable(entries: received.headers.entries.sorted { $0.key < $1.key })
        #expect(received == expected)
        #expect(deliveries[1].properties == AMQPProperties(deliveryMode: .persistent))
        #expect(deliveries[0].routingKey == queue.name)
        #expect(deliveries[0].exchange == "")
        await test.consumer.close()
    }

    /// librabbitmq 0.15 decodes at most 100 levels, and closes the connection if there are more.
    @Test("unreadable headers do not end the connection", arguments: [99, 1_000])
    func keepsConnectionDespiteUnreadableHeaders(levels: Int) async throws {
        let queue = TestBroker.queue("nested")
        let publisher = try TestPublisher(topology: AMQPTopology(queues: [queue]))
        publisher.start()
        let nested = (1..<levels).reduce(AMQPFieldValue.array([])) { inside, _ in .array([inside]) }
        try await publisher.publisher.publishAndWait(
            [[:], ["mine": nested, "text": "last"], [:]].enumerated().map { index, headers in
                AMQPPublication(
                    id: UInt64(index), exchange: "", routingKey: queue.name, isMandatory: true,
                    properties: AMQPProperties(headers: headers, messageID: "m"), body: [UInt8(index)])
            })
        await publisher.publisher.close()
        let test = try TestConsumer(queues: [.init(name: queue.name, prefetch: 100)])
        test.start()
        try await test.log.wait("all messages") { $0.deliveries.count == 3 }
        let deliveries = test.log.events.deliveries
        #expect(deliveries.map(\.body) == [[0], [1], [2]])
        #expect(deliveries.map(\.problem) == [nil, "are nested deeper than 32 levels", nil])
        #expect(deliveries.allSatisfy { $0.properties.messageID == "m" && !$0.isRedelivered })
        #expect(deliveries[1].properties.headers["text"] == "last")
        await test.consumer.close()
        #expect(test.log.events.connections == 1 && test.log.events.failures == [])
    }

    @Test("an acknowledgement with an unknown delivery tag is reported, and the consumer reconnects")
    func reportsUnknownDeliveryTagAndReconnects() async throws {
        let queue = TestBroker.queue("unknown-tag")
        let test = try TestConsumer(
            topology: AMQPTopology(queues: [queue]), queues: [.init(name: queue.name, prefetch: 1)])
        test.start()
        try await test.log.wait("a connection") { $0.connections == 1 }
        test.consumer.acknowledge([AMQPAcknowledgement(AMQPDeliveryTag(epoch: 1, queueIndex: 0, number: 99))])
        try await test.log.wait("a second connection") { $0.connections == 2 }
        let failure = try #require(test.log.events.failures.first)
        #expect(failure.code == .preconditionFailed)
        #expect(failure.reply?.text.contains("unknown delivery tag") == true, "\(failure)")
        await test.consumer.close()
    }

    private func messagesLeft(in queue: AMQPQueue) async throws -> [[UInt8]] {
        // The marker is the last message, so all messages before it were left in the queue.
        try await TestPublisher.publish([[255]], to: queue)
        let test = try TestConsumer(queues: [.init(name: queue.name, prefetch: 100)])
        test.start()
        try await test.log.wait("the marker") { $0.deliveries.last?.body == [255] }
        await test.consumer.close()
        return test.log.events.deliveries.dropLast().map(\.body)
    }
}
