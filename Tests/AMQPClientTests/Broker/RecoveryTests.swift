import Foundations
import AMQPClient
import Dispatch
import Logging
import TestSupport
import TestTraits
import Testing

@Suite("Recovery on a broker", .needsBroker, .endsAHang)
struct RecoveryTests {
    @Test("publications lost with the connection are published again in order after a reconnect")
    func republishesLostPublicationsInOrder() async throws {
        let (proxy, configuration) = try proxied()
        defer { proxy.stop() }
        let queue = TestBroker.queue("republish")
        let test = try TestPublisher(configuration, topology: AMQPTopology(queues: [queue]))
        try await test.connectOnce()
        proxy.freeze()
        test.publisher.publish((0..<200).map { publication($0, to: queue, repeatHeader: $0 < 100 ? "again" : nil) })
        #expect(test.publisher.unconfirmedCount == 200)
        proxy.cut()
        try await test.log.wait("all confirms") { Set($0.confirmed).count == 200 }
        #expect(test.log.events.connections == 2)
        #expect(test.log.events.failures.count == 1)
        #expect(test.publisher.unconfirmedCount == 0)
        await test.publisher.close()

        let consumer = try TestConsumer(queues: [.init(name: queue.name, prefetch: 1000)])
        consumer.start()
        // Messages that reached the broker before the cut arrive twice.
        try await consumer.log.wait("all messages") { $0.deliveries.count >= 200 && $0.deliveries.last?.body[0] == 199 }
        #expect(consumer.log.events.deliveries.suffix(200).map { UInt64($0.body[0]) } == Array(0..<200))
        // Only the first 100 messages have a repeat header. The publisher adds it to messages sent before the cut.
        let marked = consumer.log.events.deliveries.filter { $0.properties.headers["again"] == true }
        #expect(marked.map { Int($0.body[0]) } == Array(0..<marked.count) && marked.count <= 100)
        await consumer.consumer.close()
    }

    @Test("a stream of publications loses nothing when connections are lost")
    func losesNothingWhenConnectionsAreLost() async throws {
        let (proxy, configuration) = try proxied()
        defer { proxy.stop() }
        let queue = TestBroker.queue("many-cuts")
        let test = try TestPublisher(configuration, topology: AMQPTopology(queues: [queue]), unconfirmedLimit: 100)
        test.start()
        for cut in 1...4 {
            let wanted = cut * 50
            try await test.log.wait("connection \(cut)") { $0.connections == cut }
            test.publisher.publish((wanted - 50..<wanted).map { publication(UInt64($0), to: queue) })
            if cut == 2 { try await test.log.wait("some confirms") { $0.confirmed.count > 30 } }
            proxy.cut()
        }
        try await test.log.wait("all confirms") { Set($0.confirmed).count == 200 }
        #expect(test.log.events.confirmed.count == 200, "each publication must be confirmed once")
        await test.publisher.close()
        let consumer = try TestConsumer(queues: [.init(name: queue.name, prefetch: 1000)])
        consumer.start()
        try await consumer.log.wait("all messages, perhaps some twice") {
            Set($0.deliveries.map { $0.body[0] }).count == 200
        }
        await consumer.consumer.close()
    }

    @Test("a host is reached at the first of its addresses that answers", arguments: [1, 2])
    func connectsToFirstAddressThatAnswers(place: Int) async throws {
        var configuration = try TestBroker.configuration()
        let port = configuration.endpoints[0].port
        let addresses = (0..<place).map { "127.0.\(place).\($0 + 1)" }
        let dead = try addresses.map { try DeadPort(address: $0, port: UInt16(clamping: port)) }
        configuration.endpoints = [.init(host: "broker.test", port: port)]
        configuration.knownAddresses = ["broker.test": addresses + ["127.0.0.1"], "dead.test": addresses]
        configuration.connectTimeout = .seconds(5)
        let queue = TestBroker.queue("dead-address")
        let test = try TestPublisher(configuration, topology: AMQPTopology(queues: [queue]))
        try await test.connectOnce()
        try await test.publisher.publishAndWait([publication(1, to: queue)])
        await test.publisher.close()

        configuration.endpoints = [.init(host: "dead.test", port: port)]
        let lost = try TestPublisher(configuration)
        let error = await #expect(throws: AMQPError.self) { try await lost.connectOnce() }
        let words = "connecting to dead.test:\(port) at \(addresses[0]): "
        #expect(error?.message.hasPrefix(words) == true, "\(error as Any)")
        await lost.publisher.close()
        withExtendedLifetime(dead) {}
    }

    @Test("a connection attempt tries no other address after a close")
    func triesNoOtherAddressAfterClose() async throws {
        var configuration = try TestBroker.configuration()
        let port = configuration.endpoints[0].port
        let dead = try DeadPort(address: "127.0.3.1", port: UInt16(clamping: port))
        configuration.endpoints = [.init(host: "broker.test", port: port)]
        configuration.knownAddresses = ["broker.test": ["127.0.3.1", "127.0.0.1"]]
        // With a shorter timeout, a client on a busy machine might try the next address before the close.
        configuration.connectTimeout = .seconds(10)
        let publishing = try TestPublisher(configuration)
        publishing.start()
        let consuming = try TestConsumer(configuration, queues: [.init(name: "never", prefetch: 1)])
        consuming.start()
        await publishing.publisher.close()
        await consuming.consumer.close()
        #expect(publishing.log.events.connections == 0)
        #expect(consuming.log.events.connections == 0)
        withExtendedLifetime(dead) {}
    }

    @Test("a consumer reconnects, gets its open deliveries again, and ignores old acknowledgements")
    func redeliversAfterReconnectAndIgnoresOldTags() async throws {
        let (proxy, configuration) = try proxied()
        defer { proxy.stop() }
        let queue = TestBroker.queue("consumer")
        try await TestPublisher.publish([[1], [2]], to: queue)
        let test = try TestConsumer(configuration, queues: [.init(name: queue.name, prefetch: 10)])
        test.start()
        try await test.log.wait("two deliveries") { $0.deliveries.count == 2 }
        let old = test.log.events.deliveries.map(\.tag)
        proxy.cut()
        try await test.log.wait("both redeliveries") { $0.deliveries.count == 4 }
        let again = test.log.events.deliveries.suffix(2)
        #expect(again.map(\.body) == [[1], [2]])
        #expect(again.allSatisfy { $0.isRedelivered })
        #expect(again.map(\.tag.epoch) == [2, 2])
        test.consumer.acknowledge(old.map { AMQPAcknowledgement($0) })
        test.consumer.acknowledge([AMQPAcknowledgement(again[again.startIndex].tag)])
        await test.consumer.close()
        #expect(test.log.events.failures.count == 1)

        let other = try TestConsumer(queues: [.init(name: queue.name, prefetch: 10)])
        other.start()
        try await other.log.wait("the unacknowledged message") { $0.deliveries.count == 1 }
        #expect(other.log.events.deliveries.map(\.body) == [[2]])
        await other.consumer.close()
    }

    @Test("the prefetch requested last applies to the next connection, and can still be lowered")
    func keepsRequestedPrefetchAcrossConnections() async throws {
        let (proxy, configuration) = try proxied()
        defer { proxy.stop() }
        let queue = TestBroker.queue("prefetch")
        try await TestPublisher.publish((0..<200).map { [UInt8($0)] }, to: queue)
        let test = try TestConsumer(configuration, queues: [.init(name: queue.name, prefetch: 4)])
        test.start()
        try await test.log.wait("four deliveries") { $0.deliveries.count == 4 }
        test.consumer.setPrefetch(64, ofQueue: 0)
        try await test.log.wait("64 deliveries") { $0.deliveries.count == 64 }
        test.consumer.setPrefetch(16, ofQueue: 0)
        proxy.cut()
        @Sendable func open(_ events: [AMQPConsumerEvent], _ connection: UInt32) -> [AMQPDelivery] {
            events.deliveries.filter { $0.tag.epoch == connection }
        }
        try await test.log.wait("16 deliveries over the second connection") { open($0, 2).count == 16 }
        proxy.cut()
        test.consumer.setPrefetch(32, ofQueue: 0)
        try await test.log.wait("32 deliveries over the third connection") { open($0, 3).count == 32 }
        #expect(open(test.log.events, 2).count == 16)
        test.consumer.setPrefetch(4, ofQueue: 0)
        test.consumer.acknowledge(open(test.log.events, 3).map { AMQPAcknowledgement($0.tag) })
        try await test.log.wait("four more deliveries") { open($0, 3).count == 36 }
        await test.consumer.close()
        #expect(open(test.log.events, 3).count == 36)
    }

    @Test("exchanges and queues that were deleted with the connection are declared again")
    func redeclaresTopologyAfterReconnect() async throws {
        let (proxy, configuration) = try proxied()
        defer { proxy.stop() }
        let exchange = AMQPExchange(name: TestBroker.uniqueName("redeclare"), kind: .fanout, isAutoDelete: true)
        let queue = AMQPQueue(name: TestBroker.uniqueName("redeclare"), isDurable: false, isExclusive: true)
        let topology = AMQPTopology(
            exchanges: [exchange], queues: [queue],
            bindings: [AMQPBinding(queue: queue.name, exchange: exchange.name, routingKey: "")])
        let test = try TestConsumer(
            configuration, topology: topology, queues: [.init(name: queue.name, prefetch: 10)])
        try await test.connectOnce()
        proxy.cut()
        try await test.log.wait("the second connection") { $0.connections == 2 }
        let publisher = try TestPublisher()
        publisher.start()
        try await publisher.publisher.publishAndWait([
            AMQPPublication(id: 1, exchange: exchange.name, routingKey: "", isMandatory: true, body: [1])
        ])
        try await test.log.wait("the message") { $0.deliveries.count == 1 }
        await publisher.publisher.close()
        await test.consumer.close()
    }

    @Test("a silent broker is detected after two heartbeats, with and without data to write")
    func detectsSilentBrokerAfterTwoHeartbeats() async throws {
        // With a shorter heartbeat, a broker on a busy machine might close the connection first.
        let (proxy, configuration) = try proxied(heartbeatSeconds: 3)
        defer { proxy.stop() }
        let queue = TestBroker.queue("dead-peer")
        let publisher = try TestPublisher(configuration, topology: AMQPTopology(queues: [queue]))
        try await publisher.connectOnce()
        let consumer = try TestConsumer(configuration, queues: [.init(name: queue.name, prefetch: 1)])
        try await consumer.connectOnce()
        proxy.freeze()
        publisher.publisher.publish([publication(1, to: queue)])
        try await consumer.log.wait("the lost connection") { !$0.failures.isEmpty }
        try await publisher.log.wait("the lost connection") { !$0.failures.isEmpty }
        #expect(consumer.log.events.failures.first?.description.contains("two heartbeat intervals") == true)
        try await publisher.log.wait("the confirm") { $0.confirmed == [1] }
        try await consumer.log.wait("the message") { $0.deliveries.count == 1 }
        await publisher.publisher.close()
        await consumer.consumer.close()
    }

    @Test("the connection is closed during a write if the broker reads nothing")
    func disconnectsIfBrokerReadsNothing() async throws {
        let (proxy, configuration) = try proxied(heartbeatSeconds: 3)
        defer { proxy.stop() }
        let queue = TestBroker.queue("stalled")
        let test = try TestPublisher(configuration, topology: AMQPTopology(queues: [queue]))
        try await test.connectOnce()
        proxy.stall()
        // The messages together exceed the kernel's buffers, and each is below the limit of RabbitMQ 4, which is 16
        // MiB.
        let body = [UInt8](repeating: 1, count: 10_000_000)
        test.publisher.publish(
            (1...4).map { AMQPPublication(id: $0, exchange: "", routingKey: queue.name, body: body) })
        try await test.log.wait("the lost connection") { $0.failures.count == 1 }
        try await test.log.wait("the confirms") { Set($0.confirmed) == [1, 2, 3, 4] }
        await test.publisher.close()
    }

    @Test("close reports that the last acknowledgements may be lost", arguments: [false, true])
    func reportsPossiblyLostAcknowledgementsOnClose(isLost: Bool) async throws {
        let (proxy, configuration) = try proxied()
        defer { proxy.stop() }
        let queue = TestBroker.queue("farewell")
        try await TestPublisher.publish([[1]], to: queue)
        let test = try TestConsumer(configuration, queues: [.init(name: queue.name, prefetch: 1)])
        try await test.connectOnce()
        try await test.log.wait("the message") { $0.deliveries.count == 1 }
        if isLost { proxy.freeze() }
        test.consumer.acknowledge(test.log.events.deliveries.map { AMQPAcknowledgement($0.tag) })
        await test.consumer.close(timeout: isLost ? .seconds(1) : .seconds(30))
        #expect(test.log.events.failures == [])
        let last = try #require(test.log.events.last)
        guard case .closed(let error) = last, (error != nil) == isLost else {
            Issue.record("the close must report an error only if the connection is lost, got \(last)")
            return
        }
    }

    @Test("close reports lost acknowledgements even if the connection is already lost", arguments: [false, true])
    func reportsLostAcknowledgementsAfterLostConnection(isStopped: Bool) async throws {
        let (proxy, configuration) = try proxied()
        defer { proxy.stop() }
        let queue = TestBroker.queue("farewell-lost")
        try await TestPublisher.publish([[1]], to: queue)
        let test = try TestConsumer(configuration, queues: [.init(name: queue.name, prefetch: 1)])
        try await test.connectOnce()
        try await test.log.wait("the message") { $0.deliveries.count == 1 }
        if isStopped { test.consumer.stopConsuming() }
        // The proxy no longer listens, so the consumer can't reconnect.
        proxy.stop()
        try await test.log.wait("the lost connection") { !$0.failures.isEmpty }
        test.consumer.acknowledge(test.log.events.deliveries.map { AMQPAcknowledgement($0.tag) })
        await test.consumer.close(timeout: .seconds(30))
        guard case .closed(_?) = test.log.events.last else {
            Issue.record("expected a close with an error, got \(String(describing: test.log.events.last))")
            return
        }
    }

    @Test("acknowledgements made before a close are sent, even if the connection's thread is busy")
    func sendsAcknowledgementsMadeBeforeClose() async throws {
        let queue = TestBroker.queue("before-close")
        try await TestPublisher.publish([[1], [2]], to: queue)
        // Blocks the connection's thread while it processes a batch of acknowledgements.
        let gate = Gate()
        let log = EventLog<AMQPConsumerEvent>()
        let consumer = try AMQPConsumer(
            configuration: try TestBroker.configuration(), queues: [.init(name: queue.name, prefetch: 2)],
            logger: Logger(label: "gate") { _ in GatedLog(gate: gate) })
        try await consumer.connectOnce { log.append($0) }
        try await log.wait("two deliveries") { $0.deliveries.count == 2 }
        let tags = log.events.deliveries.map { AMQPAcknowledgement($0.tag) }
        // The repeated acknowledgement causes a warning, which stops the thread at the gate.
        consumer.acknowledge([tags[0], tags[0]])
        await gate.wait()
        consumer.acknowledge([tags[1]])
        async let end: Void = consumer.close()
        // If this time is too short, the test passes without testing anything.
        try await Task.sleep(for: .milliseconds(200))
        gate.open()
        await end
        let left = try await AMQPInspection.look(
            at: AMQPTopology(queues: [queue]), on: try TestBroker.configuration())
        #expect(left.queues[queue.name]?.messages == 0)
    }

    @Test("heartbeats keep an idle connection alive")
    func keepsIdleConnectionAlive() async throws {
        var configuration = try TestBroker.configuration()
        // With a heartbeat of one second, a broker on a busy machine may close the connection.
        configuration.heartbeatSeconds = 3
        let queue = TestBroker.queue("idle")
        let test = try TestConsumer(
            configuration, topology: AMQPTopology(queues: [queue]), queues: [.init(name: queue.name, prefetch: 1)])
        try await test.connectOnce()
        // The connection must stay open, so there is no event to wait for. The broker disconnects a silent client after
        // 6 s.
        try await Task.sleep(for: .seconds(10))
        try await TestPublisher.publish([[1]], to: queue)
        try await test.log.wait("the message") { $0.deliveries.count == 1 }
        #expect(test.log.events.failures == [])
        await test.consumer.close()
    }

    @Test("the next host of the list is used if one can't be reached")
    func triesNextHostIfOneIsUnreachable() async throws {
        var configuration = try TestBroker.configuration()
        configuration.endpoints.insert(.init(host: "127.0.0.1", port: 1), at: 0)
        let test = try TestPublisher(configuration)
        try await test.connectOnce()
        #expect(test.log.events.failures.map(\.code) == [.connectionFailed])
        await test.publisher.close()
    }

    private func publication(_ id: UInt64, to queue: AMQPQueue, repeatHeader: String? = nil) -> AMQPPublication {
        AMQPPublication(
            id: id, exchange: "", routingKey: queue.name, isMandatory: true, body: [UInt8(id)],
            repeatHeader: repeatHeader)
    }

    private func proxied(heartbeatSeconds: Int = 15) throws -> (TCPProxy, AMQPConfiguration) {
        var configuration = try TestBroker.configuration()
        let proxy = try TCPProxy(target: UInt16(clamping: configuration.endpoints[0].port))
        configuration.endpoints = [.init(host: "127.0.0.1", port: Int(proxy.port))]
        configuration.heartbeatSeconds = heartbeatSeconds
        return (proxy, configuration)
    }
}

/// A gate that blocks a thread until the gate is opened.
private final class Gate: Sendable {
    private let isReached = AsyncStream.makeStream(of: Void.self)
    private let isOpen = DispatchSemaphore(value: 0)

    func pass() {
        isReached.continuation.finish()
        _ = isOpen.wait(timeout: .now() + 30)
    }

    func wait() async { for await _ in isReached.stream {} }
    func open() { isOpen.signal() }
}

/// A log handler that stops at the gate for each line.
private struct GatedLog: LogHandler {
    let gate: Gate
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.warning

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { gate.pass() }
}
