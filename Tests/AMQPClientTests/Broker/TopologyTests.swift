import AMQPClient
import TestTraits
import Testing

@Suite("Topology on a broker", .needsBroker, .endsAHang)
struct TopologyTests {
    @Test("exchanges, queues and bindings are declared and route messages, and a second declaration has no effect")
    func declaresTopologyRepeatedly() async throws {
        let alternate = AMQPExchange(name: TestBroker.uniqueName("alternate"), kind: .fanout, isAutoDelete: true)
        let exchange = AMQPExchange(
            name: TestBroker.uniqueName("jobs"), kind: .topic, isAutoDelete: true,
            arguments: ["alternate-exchange": .string(alternate.name)])
        let wanted = TestBroker.queue("wanted")
        let rest = TestBroker.queue("rest")
        let topology = AMQPTopology(
            exchanges: [alternate, exchange], queues: [wanted, rest],
            bindings: [
                AMQPBinding(queue: wanted.name, exchange: exchange.name, routingKey: "apns.#"),
                AMQPBinding(queue: rest.name, exchange: alternate.name, routingKey: ""),
            ])
        let publisher = try TestPublisher(topology: topology)
        try await publisher.connectOnce()
        try await publisher.publisher.publishAndWait([
            AMQPPublication(id: 1, exchange: exchange.name, routingKey: "apns.sent.x", isMandatory: true, body: [1]),
            AMQPPublication(id: 2, exchange: exchange.name, routingKey: "fcm.sent.x", isMandatory: true, body: [2]),
        ])
        let test = try TestConsumer(
            topology: topology,
            queues: [.init(name: wanted.name, prefetch: 10), .init(name: rest.name, prefetch: 10)])
        try await test.connectOnce()
        try await test.log.wait("both messages") { $0.deliveries.count == 2 }
        let byQueue = test.log.events.deliveries.sorted { $0.tag.queueIndex < $1.tag.queueIndex }
        #expect(byQueue.map(\.tag.queueIndex) == [0, 1])
        #expect(byQueue.map(\.body) == [[1], [2]])
        #expect(byQueue.map(\.routingKey) == ["apns.sent.x", "fcm.sent.x"])
        #expect(byQueue.map(\.exchange) == [exchange.name, exchange.name])
        await test.consumer.close()
        await publisher.publisher.close()
    }

    @Test("if a queue exists with other properties, the error names the queue and both values")
    func namesQueueWithOtherProperties() async throws {
        let queue = TestBroker.queue("mismatch")
        try await TestPublisher.publish([], to: queue)
        var arguments = queue.arguments
        arguments["x-max-length"] = 5
        let other = AMQPQueue(name: queue.name, arguments: arguments)
        let publisher = try TestPublisher(topology: AMQPTopology(queues: [other]))
        let error = await #expect(throws: AMQPError.self) { try await publisher.connectOnce() }
        #expect(error?.code == .preconditionFailed)
        #expect(error?.isRetriable == false)
        #expect(error?.reply?.code == 406)
        let text = try #require(error?.description)
        #expect(text.contains("declaring queue \"\(queue.name)\""), "\(text)")
        #expect(text.contains("x-max-length") && text.contains("received") && text.contains("current"), "\(text)")
    }

    @Test("a queue named by the broker is bound and consumed under its real name")
    func bindsAndConsumesServerNamedQueue() async throws {
        let exchange = AMQPExchange(name: TestBroker.uniqueName("tail"), kind: .fanout, isAutoDelete: true)
        let tail = AMQPQueue(
            name: "tail", isServerNamed: true, isDurable: false, isExclusive: true, isAutoDelete: true)
        let topology = AMQPTopology(
            exchanges: [exchange], queues: [tail],
            bindings: [AMQPBinding(queue: "tail", exchange: exchange.name, routingKey: "")])
        let test = try TestConsumer(topology: topology, queues: [.init(name: "tail", prefetch: 10)])
        try await test.connectOnce()
        try await test.log.wait("a connection") { $0.connections == 1 }
        guard case .connected(let names) = test.log.events.first else {
            Issue.record("expected a connection first, got \(String(describing: test.log.events.first))")
            return
        }
        #expect(names.count == 1 && names[0].hasPrefix("amq.gen-"), "\(names)")
        let publisher = try TestPublisher()
        publisher.start()
        try await publisher.publisher.publishAndWait([
            AMQPPublication(id: 1, exchange: exchange.name, routingKey: "", isMandatory: true, body: [9])
        ])
        try await test.log.wait("the message") { $0.deliveries.count == 1 }
        await test.consumer.close()
        await publisher.publisher.close()
    }

    @Test("an exclusive queue is locked for other connections while it exists")
    func locksExclusiveQueueForOthers() async throws {
        let queue = AMQPQueue(name: TestBroker.uniqueName("exclusive"), isDurable: false, isExclusive: true)
        let topology = AMQPTopology(queues: [queue])
        let owner = try TestConsumer(topology: topology, queues: [.init(name: queue.name, prefetch: 1)])
        try await owner.connectOnce()
        let other = try TestConsumer(topology: topology, queues: [.init(name: queue.name, prefetch: 1)])
        let error = await #expect(throws: AMQPError.self) { try await other.connectOnce() }
        #expect(error?.code == .resourceLocked)
        await owner.consumer.close()
        let next = try TestConsumer(topology: topology, queues: [.init(name: queue.name, prefetch: 1)])
        try await next.connectOnce()
        await next.consumer.close()
    }

    @Test("a wrong password, a wrong virtual host and a missing queue fail at once with a clear error")
    func failsAtOnceWithClearErrors() async throws {
        var wrongPassword = try TestBroker.configuration()
        wrongPassword.password = AMQPPassword("certainly wrong")
        var wrongHost = try TestBroker.configuration()
        wrongHost.virtualHost = "no such host"

        let refused = await failure(wrongPassword, queue: "any")
        #expect(refused?.code == .accessRefused)
        #expect(refused?.reply?.code == 403)
        #expect(
            refused?.description.contains("user \"\(wrongPassword.user)\"") == true, "\(String(describing: refused))")
        #expect(refused?.description.contains("certainly") == false)
        let unknown = await failure(wrongHost, queue: "any")
        #expect(unknown?.code == .accessRefused)
        #expect(unknown?.description.contains("no such host") == true, "\(String(describing: unknown))")
        let missing = await failure(try TestBroker.configuration(), queue: TestBroker.uniqueName("missing"))
        #expect(missing?.code == .notFound)
    }

    private func failure(_ configuration: AMQPConfiguration, queue: String) async -> AMQPError? {
        await #expect(throws: AMQPError.self) {
            let test = try TestConsumer(configuration, queues: [.init(name: queue, prefetch: 1)])
            try await test.connectOnce()
        }
    }
}
