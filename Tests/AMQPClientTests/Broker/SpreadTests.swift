import AMQPClient
import TestSupport
import TestTraits
import Testing
import Foundations

@Suite("An exchange spread over several queues", .needsBroker, .endsAHang)
struct SpreadTests {
    private static let (keys, mostQueues) = (["a", "b"], 4)
    private let name = TestBroker.uniqueName("spread")

    private func queue(_ key: String, _ number: Int) -> AMQPQueue {
        AMQPQueue(name: "\(name).\(key).\(number)", arguments: ["x-expires": .int32(60_000)])
    }

    private var rest: AMQPQueue { AMQPQueue(name: "\(name).rest", arguments: ["x-expires": .int32(60_000)]) }

    private func middle(_ key: String) -> AMQPExchange {
        AMQPExchange(
            name: "\(name).\(key)", kind: .random, isAutoDelete: true,
            arguments: ["alternate-exchange": .string("\(name).rest")]
        )
    }

    private func topology(width: Int) -> AMQPTopology {
        AMQPTopology(
            exchanges: [
                AMQPExchange(name: "\(name).rest", kind: .fanout, isAutoDelete: true),
                AMQPExchange(
                    name: name, kind: .direct, isAutoDelete: true,
                    arguments: ["alternate-exchange": .string("\(name).rest")]),
            ],
            queues: [rest] + (1...width).flatMap { number in Self.keys.map { queue($0, number) } },
            bindings: [AMQPBinding(queue: rest.name, exchange: "\(name).rest", routingKey: "")],
            sharding: AMQPSharding(
                exchange: name,
                ways: Self.keys.map { key in
                    AMQPSharding.Way(
                        keys: [key], middle: middle(key), queues: (1...Self.mostQueues).map { queue(key, $0).name })
                }, width: width))
    }

    /// Connects, declares the spread and closes the connection.
    /// - Returns: the number of queues of each way.
    private func lay(width: Int) async throws -> Int? {
        let publisher = try TestPublisher(topology: topology(width: width))
        try await publisher.connectOnce()
        try await publisher.log.wait("the number of queues") { $0.widths != [] }
        await publisher.publisher.close()
        return publisher.log.events.widths.last
    }

    private func publish(_ count: Int, key: String) async throws {
        let publisher = try TestPublisher()
        try await publisher.connectOnce()
        try await publisher.publisher.publishAndWait(
            (0..<count).map {
                AMQPPublication(id: UInt64($0), exchange: name, routingKey: key, body: [UInt8]($0.description.utf8))
            })
        await publisher.publisher.close()
    }

    private func delete(_ queues: [AMQPQueue], exchanges: [AMQPExchange] = []) async throws {
        let broker = Broker(url: try #require(TestServers.broker))
        try await broker.delete(queues: queues.map(\.name), exchanges: exchanges.map(\.name))
    }

    /// Returns the number of messages in each queue that is not empty.
    private func waiting() async throws -> [String: Int] {
        let found = try await AMQPInspection.look(
            at: topology(width: Self.mostQueues), on: try TestBroker.configuration())
        return found.queues.mapValues(\.messages).filter { $0.value > 0 }
    }

    @Test(
        "one queue is bound directly, several share the messages, and queues that are no longer needed are still read"
    )
    func distributesMessagesByWidth() async throws {
        #expect(try await lay(width: 1) == 1)
        try await publish(5, key: "a")
        #expect(try await waiting() == [queue("a", 1).name: 5])
        #expect(try await lay(width: 3) == 3)
        try await publish(300, key: "a")
        try await publish(30, key: "b")
        let sharding = try await waiting()
        #expect(sharding.count == 6 && sharding.values.reduce(0, +) == 335, "\(sharding)")
        #expect((1...3).allSatisfy { sharding[queue("a", $0).name, default: 0] >= 50 }, "\(sharding)")
        #expect(try await lay(width: 2) == 3, "the three queues still exist")
        try await publish(200, key: "a")
        #expect(try await waiting()[queue("a", 3).name] == sharding[queue("a", 3).name])
        #expect(try await lay(width: 1) == 3)
        let before = try await waiting()[queue("a", 1).name, default: 0]
        try await publish(10, key: "a")
        #expect(try await waiting()[queue("a", 1).name] == before + 10)
    }

    @Test("an interrupted declaration is completed by the next one, for any width", arguments: [1, 3])
    func completesInterruptedDeclaration(width: Int) async throws {
        _ = try await lay(width: 1)
        // The middles exist, but no binding leads to them. From the first one, the next declaration sees that it must
        // complete them.
        let publisher = try TestPublisher(topology: AMQPTopology(exchanges: Self.keys.map(middle)))
        try await publisher.connectOnce()
        #expect(try await lay(width: width) == width)
        try await publish(100, key: "b")
        #expect(try await waiting().values.reduce(0, +) == 100, "each message must arrive once, through the middle")
        await publisher.publisher.close()
    }

    @Test(
        "a direct binding by an older client duplicates messages until the next declaration removes it"
    )
    func removesDirectBindingOfOlderClient() async throws {
        _ = try await lay(width: 2)
        let binding = AMQPBinding(queue: queue("a", 1).name, exchange: name, routingKey: "a")
        let earlier = try TestPublisher(topology: AMQPTopology(bindings: [binding]))
        try await earlier.connectOnce()
        try await publish(50, key: "a")
        #expect(try await waiting().values.reduce(0, +) > 50)
        let before = try await waiting().values.reduce(0, +)
        #expect(try await lay(width: 2) == 2)
        try await publish(50, key: "a")
        #expect(try await waiting().values.reduce(0, +) == before + 50)
        await earlier.publisher.close()
    }

    @Test("if the middles were deleted, the first queue is bound directly, and the other queues are counted")
    func bindsFirstQueueIfMiddlesWereDeleted() async throws {
        _ = try await lay(width: 3)
        try await publish(100, key: "a")
        try await delete([], exchanges: Self.keys.map { middle($0) })
        #expect(try await lay(width: 1) == 3)
        let before = try await waiting()
        try await publish(10, key: "a")
        #expect(try await waiting()[queue("a", 1).name] == before[queue("a", 1).name, default: 0] + 10)
    }

    @Test("a middle that was not deleted with the others causes no duplicate messages", arguments: keys)
    func avoidsDuplicatesWithOneRemainingMiddle(key: String) async throws {
        _ = try await lay(width: 3)
        try await delete([], exchanges: Self.keys.filter { $0 != key }.map { middle($0) })
        #expect(try await lay(width: 1) == 3)
        for key in Self.keys { try await publish(100, key: key) }
        #expect(
            try await waiting() == Dictionary(uniqueKeysWithValues: Self.keys.map { (queue($0, 1).name, 100) }))
    }

    @Test("queues after a gap no longer receive messages")
    func unbindsQueuesAfterGap() async throws {
        _ = try await lay(width: 1)
        #expect(try await lay(width: 4) == 4)
        try await delete([queue("a", 3), queue("b", 3)])
        #expect(try await lay(width: 2) == 2, "queues are counted up to the gap")
        try await publish(200, key: "a")
        let found = try await waiting()
        #expect(found.values.reduce(0, +) == 200 && found.count == 2, "\(found)")
    }

    @Test("while the width changes under load, each message reaches exactly one queue")
    func routesEachMessageOnceWhileWidthChanges() async throws {
        _ = try await lay(width: 1)
        let publisher = try TestPublisher(unconfirmedLimit: 500)
        publisher.start()
        let counted = Mutex(0)
        let load = Task { [name] in
            while !Task.isCancelled {
                try await publisher.publisher.publishAndWait(
                    (0..<200).map { AMQPPublication(id: UInt64($0), exchange: name, routingKey: "a", body: [1]) })
                counted.withLock { $0 += 200 }
            }
        }
        for width in [3, 1, 4, 2] {
            _ = try await lay(width: width)
            let before = counted.withLock { $0 }
            try await eventually("more messages are published") { counted.withLock { $0 } > before + 400 }
        }
        load.cancel()
        try await load.value
        let sent = counted.withLock { $0 }
        await publisher.publisher.close()
        let found = try await waiting()
        #expect(found.values.reduce(0, +) == sent, "\(found)")
        #expect(sent > 1_000 && found[queue("a", 4).name] != nil)
        #expect(found[rest.name] == nil, "\(found)")
    }

    @Test("queues can be added to a consumer later, and a missing optional queue is skipped")
    func consumesAddedQueuesAndSkipsMissingQueue() async throws {
        _ = try await lay(width: 2)
        try await publish(40, key: "a")
        let test = try TestConsumer(queues: [.init(name: queue("a", 1).name, prefetch: 100)])
        try await test.connectOnce()
        test.consumer.consume([
            .init(name: queue("a", 2).name, prefetch: 50, isOptional: true),
            .init(name: queue("a", 3).name, prefetch: 50, isOptional: true),
        ])
        try await test.log.wait("all messages") { $0.deliveries.count == 40 }
        #expect(Set(test.log.events.deliveries.map(\.tag.queueIndex)) == [0, 1])
        test.consumer.acknowledge(test.log.events.deliveries.map { AMQPAcknowledgement($0.tag) })
        test.consumer.setPrefetch(1, ofQueue: 0)
        try await publish(40, key: "a")
        try await test.log.wait("a delivery of the first queue") {
            $0.deliveries.dropFirst(40).contains { $0.tag.queueIndex == 0 }
        }
        #expect(test.log.events.failures.isEmpty && test.log.events.connections == 1)
        await test.consumer.close()
    }

    @Test func consumesFromQueueThatWasCreatedAgain() async throws {
        _ = try await lay(width: 2)
        let second = AMQPConsumedQueue(name: queue("a", 2).name, prefetch: 50, isOptional: true)
        let third = AMQPConsumedQueue(name: queue("a", 3).name, prefetch: 50, isOptional: true)
        let test = try TestConsumer(queues: [.init(name: queue("a", 1).name, prefetch: 100)])
        try await test.connectOnce()
        test.consumer.consume([second, third])
        try await test.log.wait("the report of the third queue") { $0.missing == [third.name] }
        try await publish(40, key: "a")
        try await test.log.wait("all messages") { $0.deliveries.count == 40 }
        test.consumer.acknowledge(test.log.events.deliveries.map { AMQPAcknowledgement($0.tag) })
        try await delete([queue("a", 2)])
        try await test.log.wait("reports of both missing queues over the new connection") {
            $0.missing == [third.name, second.name, third.name]
        }
        test.consumer.consume([second])
        try await test.log.wait("a second report") { $0.missing.count == 4 && $0.missing.last == second.name }
        _ = try await lay(width: 3)
        test.consumer.consume([second, third])
        try await publish(90, key: "a")
        // The broker may not have processed the last acknowledgements of the lost connection.
        try await test.log.wait("all messages of three queues") { $0.deliveries.count { !$0.isRedelivered } == 130 }
        let new = test.log.events.deliveries.filter { !$0.isRedelivered }.dropFirst(40)
        #expect(Set(new.map(\.tag.queueIndex)) == [0, 1, 2])
        #expect(test.log.events.failures.map(\.code) == [.consumerCancelled] && test.log.events.connections == 2)
        await test.consumer.close()
    }
}

extension [AMQPPublisherEvent] {
    var widths: [Int] { compactMap { if case .sharding(let queues) = $0 { queues } else { nil } } }
}

extension [AMQPConsumerEvent] {
    fileprivate var missing: [String] { compactMap { if case .missing(let queue) = $0 { queue } else { nil } } }
}
