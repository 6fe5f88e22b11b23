import AMQPClient
import TestSupport
import TestTraits
import Testing

@Suite(.needsBroker, .endsAHang)
struct VanishedQueueTests {
    private let exchange = AMQPExchange(name: TestBroker.uniqueName("delay"), kind: .fanout)
    private let queue = TestBroker.queue(
        "delay", arguments: ["x-queue-type": "quorum", "x-message-ttl": .int64(600_000)])

    private var topology: AMQPTopology {
        AMQPTopology(
            exchanges: [exchange], queues: [queue],
            bindings: [AMQPBinding(queue: queue.name, exchange: exchange.name, routingKey: "")])
    }

    private func with(
        _ provision: AMQPTopology.Provision = .declared,
        _ body: (AMQPPublisher, EventLog<AMQPPublisherEvent>, LogBook, Broker) async throws -> Void
    ) async throws {
        let broker = Broker(url: try #require(TestServers.broker))
        let maker = try TestPublisher(topology: topology)
        try await maker.connectOnce()
        await maker.publisher.close()
        var topology = topology
        topology.provision = provision
        let (book, log) = (LogBook(), EventLog<AMQPPublisherEvent>())
        let publisher = try AMQPPublisher(
            configuration: try TestBroker.configuration(), topology: topology, logger: book.logger("publisher"))
        try await publisher.connectOnce { log.append($0) }
        do { try await body(publisher, log, book, broker) } catch { Issue.record(error, "\(book.text)") }
        await publisher.close()
        try await broker.delete(queues: [queue.name], exchanges: [exchange.name])
    }

    private func message(_ id: UInt64) -> AMQPPublication {
        AMQPPublication(
            id: id, exchange: exchange.name, routingKey: "normal", isMandatory: true, body: [UInt8(id)])
    }

    @Test func declaresDeletedQueueAndPublishesAgain() async throws {
        try await with { publisher, log, book, broker in
            try await publisher.publishAndWait([message(1)])
            try await broker.delete(queues: [queue.name], exchanges: [])
            try await publisher.publishAndWait((2..<12).map(message))
            #expect(try await broker.counts([queue.name]) == [queue.name: 10])
            #expect(book.text.contains("Queues were deleted in the broker"), "\(book.text)")
            #expect(book.text.contains("\"lost\": \(queue.name)"), "\(book.text)")
            #expect(log.events.failures == [] && log.events.connections == 1)
        }
    }

    @Test func declaresDeletedExchangeAndPublishesAgain() async throws {
        try await with { publisher, log, _, broker in
            try await broker.delete(queues: [], exchanges: [exchange.name])
            try await publisher.publishAndWait((1..<6).map(message))
            #expect(try await broker.counts([queue.name]) == [queue.name: 5])
            #expect(log.events.failures == [])
        }
    }

    @Test func reportsReturnIfDeclarationIsDisabled() async throws {
        try await with(.required(remedy: "make it")) { publisher, _, book, broker in
            try await broker.delete(queues: [queue.name], exchanges: [])
            let error = await #expect(throws: AMQPError.self) { try await publisher.publishAndWait([message(1)]) }
            #expect(error?.reply?.code == 312)
            publisher.checkQueues()
            try await eventually("it is reported: \(book.text)") { book.text.contains("Queues were deleted") }
        }
    }

    /// A queue with other arguments has replaced the deleted one.
    @Test func reportsReturnIfDeclarationIsRefused() async throws {
        try await with { publisher, log, book, broker in
            try await broker.delete(queues: [queue.name], exchanges: [])
            let other = try TestPublisher(
                topology: AMQPTopology(queues: [AMQPQueue(name: queue.name, arguments: ["x-expires": .int32(60_000)])]))
            try await other.connectOnce()
            await other.publisher.close()
            let error = await #expect(throws: AMQPError.self) { try await publisher.publishAndWait([message(1)]) }
            #expect(error?.reply?.code == 312)
            func refusals() -> Int {
                book.text.split(separator: "\n").count { $0.contains("refuses to declare a deleted queue again") }
            }
            #expect(refusals() == 1, "\(book.text)")
            for id in 2..<42 as Range<UInt64> {
                await #expect(throws: AMQPError.self) { try await publisher.publishAndWait([message(id)]) }
            }
            // Ten declarations take more than three minutes.
            #expect(refusals() < 10, "not one for each message: \(book.text)")
            #expect(log.events.failures == [], "other queues go on")
        }
    }

    @Test func declaresDeletedQueueOnCheck() async throws {
        try await with { publisher, _, book, broker in
            try await broker.delete(queues: [queue.name], exchanges: [])
            publisher.checkQueues()
            try await eventually("it is there again: \(book.text)") {
                (try? await broker.counts([queue.name])) == [queue.name: 0]
            }
            #expect(!book.text.contains("\"lost\""), "nothing was published to it: \(book.text)")
        }
    }
}

struct DeclarationBackoffTests {
    @Test func waitsLongerAfterEachRefusalUpToAMinute() {
        var (backoff, now) = (DeclarationBackoff(), ContinuousClock.now)
        #expect(backoff.allowsDeclaration(at: now))
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            backoff.refused(at: now, random: 1)
            #expect(!backoff.allowsDeclaration(at: now + .seconds(seconds) - .milliseconds(1)))
            now += .seconds(seconds)
            #expect(backoff.allowsDeclaration(at: now))
        }
        backoff.refused(at: now, random: 1)
        backoff.succeeded()
        #expect(backoff.allowsDeclaration(at: now))
        backoff.refused(at: now, random: 1)
        #expect(backoff.allowsDeclaration(at: now + .seconds(1)), "counted from the beginning")
    }
}

struct VanishedQueuesTests {
    @Test func findsCertainLossesWithinQueueTTL() {
        let topology = AMQPTopology(
            exchanges: [AMQPExchange(name: "delay", kind: .fanout)],
            queues: [AMQPQueue(name: "delay", arguments: ["x-message-ttl": .int64(30_000)]), AMQPQueue(name: "dead")],
            bindings: [
                AMQPBinding(queue: "delay", exchange: "delay", routingKey: ""),
                AMQPBinding(queue: "dead", exchange: "dead", routingKey: "#"),
            ])
        let now = ContinuousClock.now
        var vanished = VanishedQueues(topology)
        #expect(vanished.lossesAreCertain(["delay", "dead"], now: now) == [])
        for exchange in ["delay", "dead"] {
            vanished.confirmed(
                AMQPPublication(id: 1, exchange: exchange, routingKey: "", isMandatory: true, body: []), at: now)
        }
        #expect(vanished.lossesAreCertain(["delay", "dead"], now: now + .seconds(29)) == ["delay"])
        #expect(vanished.lossesAreCertain(["delay"], now: now + .seconds(30)) == [])
    }
}
