import AMQPClient
import TestSupport
import TestTraits
import Testing

@Suite(.needsBroker, .endsAHang)
struct VanishedQueueTests {
    private let exchange = AMQPExchange(name: TestBroker.uniqueName("delay"), kind: .fanout)
    private let queue = TestBroker.queue(
        "delay", arguments: ["x-queue-type": "quorum", "x-message-ttl": .int64(600_000)])

    /// An exchange to which only consumers bind queues.
    private let results = AMQPExchange(name: TestBroker.uniqueName("results"), kind: .topic)

    private var topology: AMQPTopology {
        AMQPTopology(
            exchanges: [exchange, results], queues: [queue],
            bindings: [AMQPBinding(queue: queue.name, exchange: exchange.name, routingKey: "")])
    }

    private func with(
        _ provision: AMQPTopology.Provision = .declared,
        _ body: (AMQPPublisher, EventLog<AMQPPublisherEvent>, LogRecorder, Broker) async throws -> Void
    ) async throws {
        let broker = Broker(url: try #require(TestServers.broker))
        let maker = try TestPublisher(topology: topology)
        try await maker.connectOnce()
        await maker.publisher.close()
        var topology = topology
        topology.provision = provision
        let (recorder, log) = (LogRecorder(), EventLog<AMQPPublisherEvent>())
        let publisher = try AMQPPublisher(
            configuration: try TestBroker.configuration(), topology: topology, logger: recorder.logger("publisher"))
        try await publisher.connectOnce { log.append($0) }
        do { try await body(publisher, log, recorder, broker) } catch { Issue.record(error, "\(recorder.text)") }
        await publisher.close()
        try await broker.delete(queues: [queue.name], exchanges: [exchange.name, results.name])
    }

    private func message(_ id: UInt64) -> AMQPPublication {
        AMQPPublication(
            id: id, exchange: exchange.name, routingKey: "normal", isMandatory: true, body: [UInt8(id)])
    }

    @Test func declaresDeletedQueueAndPublishesAgain() async throws {
        try await with { publisher, log, recorder, broker in
            try await publisher.publishAndWait([message(1)])
            try await broker.delete(queues: [queue.name], exchanges: [])
            try await publisher.publishAndWait((2..<12).map(message))
            #expect(try await broker.counts([queue.name]) == [queue.name: 10])
            #expect(recorder.text.contains("deleted; their messages or bindings are lost"), "\(recorder.text)")
            #expect(recorder.text.contains("\"lost\": \(queue.name)"), "\(recorder.text)")
            #expect(log.events.failures == [] && log.events.connections == 1)
        }
    }

    @Test func declaresDeletedExchangeAndPublishesAgain() async throws {
        try await with { publisher, log, recorder, broker in
            try await broker.delete(queues: [], exchanges: [exchange.name])
            try await publisher.publishAndWait((1..<6).map(message))
            #expect(try await broker.counts([queue.name]) == [queue.name: 5])
            #expect(log.events.failures == [])
            #expect(recorder.text.contains("\"exchanges\": \(exchange.name)"), "\(recorder.text)")
            #expect(!recorder.text.contains("must bind"), "the publisher binds the queue itself: \(recorder.text)")
        }
    }

    @Test func reportsDeletionAfterReturnedMessageIfDeclarationIsDisabled() async throws {
        try await with(.required(remedy: "make it")) { publisher, _, recorder, broker in
            try await broker.delete(queues: [queue.name], exchanges: [])
            let error = await #expect(throws: AMQPError.self) { try await publisher.publishAndWait([message(1)]) }
            #expect(error?.reply?.code == 312)
            try await eventually("the deletion is reported: \(recorder.text)") {
                recorder.text.contains("Queues or exchanges were deleted")
            }
        }
    }

    /// A queue with other arguments has replaced the deleted one.
    @Test func reportsReturnedMessageIfQueueCannotBeDeclared() async throws {
        try await with { publisher, log, recorder, broker in
            try await broker.delete(queues: [queue.name], exchanges: [])
            let other = try TestPublisher(
                topology: AMQPTopology(queues: [AMQPQueue(name: queue.name, arguments: ["x-expires": .int32(60_000)])]))
            try await other.connectOnce()
            await other.publisher.close()
            let error = await #expect(throws: AMQPError.self) { try await publisher.publishAndWait([message(1)]) }
            #expect(error?.reply?.code == 312)
            func refusals() -> Int {
                recorder.text.split(separator: "\n").count {
                    $0.contains("refuses to declare a deleted queue or exchange again")
                }
            }
            #expect(refusals() == 1, "\(recorder.text)")
            for id in 2..<42 as Range<UInt64> {
                await #expect(throws: AMQPError.self) { try await publisher.publishAndWait([message(id)]) }
            }
            // Because of the back-off, ten declarations take more than three minutes.
            #expect(refusals() < 10, "a refusal must not be logged for each message: \(recorder.text)")
            #expect(log.events.failures == [], "the connection must stay open for other queues")
        }
    }

    @Test func declaresDeletedQueueOnCheck() async throws {
        try await with { publisher, _, recorder, broker in
            try await broker.delete(queues: [queue.name], exchanges: [])
            publisher.checkTopology()
            try await eventually("the queue exists again: \(recorder.text)") {
                (try? await broker.counts([queue.name])) == [queue.name: 0]
            }
            #expect(!recorder.text.contains("\"lost\""), "nothing was published to the queue: \(recorder.text)")
        }
    }

    /// Publishes over a connection that declares nothing, until the message reaches a queue.
    private func publishesFromElsewhere(_ recorder: LogRecorder) async throws {
        let other = try TestPublisher()
        try await other.connectOnce()
        try await eventually("the exchange and its binding exist again: \(recorder.text)") {
            (try? await other.publisher.publishAndWait([message(1)])) != nil
        }
        await other.publisher.close()
    }

    @Test func declaresDeletedExchangeWithBindingsOnCheck() async throws {
        try await with { publisher, log, recorder, broker in
            try await broker.delete(queues: [], exchanges: [exchange.name])
            publisher.checkTopology()
            try await publishesFromElsewhere(recorder)
            #expect(try await broker.counts([queue.name]) == [queue.name: 1])
            #expect(recorder.text.contains("\"exchanges\": \(exchange.name)"), "\(recorder.text)")
            #expect(log.events.failures == [] && log.events.connections == 1)
        }
    }

    @Test func reportsThatConsumersMustBindAgain() async throws {
        try await with { publisher, _, recorder, broker in
            let todo = "consumers must bind their queues to \(results.name) again"
            try await broker.delete(queues: [], exchanges: [results.name])
            publisher.checkTopology()
            try await eventually("the check reports the loss: \(recorder.text)") { recorder.text.contains(todo) }
        }
        try await with { publisher, _, recorder, broker in
            let todo = "consumers must bind their queues to \(results.name) again"
            try await broker.delete(queues: [], exchanges: [results.name])
            let event = AMQPPublication(id: 1, exchange: results.name, routingKey: "sent", body: [1])
            try await publisher.publishAndWait([event])
            #expect(recorder.text.contains(todo), "\(recorder.text)")
        }
    }

    @Test func reportsDeletedExchangeIfDeclarationIsDisabled() async throws {
        try await with(.required(remedy: "make it")) { publisher, _, recorder, broker in
            try await broker.delete(queues: [], exchanges: [exchange.name])
            publisher.checkTopology()
            try await eventually("the deletion is reported: \(recorder.text)") {
                recorder.text.contains("\"exchanges\": \(exchange.name)")
            }
        }
    }

    @Test func limitsChecksAfterReturnedMessagesIfDeclarationIsDisabled() async throws {
        try await with(.required(remedy: "make it")) { publisher, log, recorder, broker in
            try await broker.delete(queues: [], exchanges: [exchange.name])
            for id in 1..<42 as Range<UInt64> {
                let error = await #expect(throws: AMQPError.self) { try await publisher.publishAndWait([message(id)]) }
                #expect(error?.reply?.code == 404)
            }
            func reports() -> Int {
                recorder.text.split(separator: "\n").count { $0.contains("\"exchanges\": \(exchange.name)") }
            }
            try await eventually("the deletion is reported: \(recorder.text)") { reports() > 0 }
            // Because of the back-off, ten checks take more than three minutes.
            #expect(reports() < 10, "the deletion must not be logged for each message: \(recorder.text)")
            #expect(log.events.failures == [])
        }
    }

    @Test func consumerDeclaresDeletedExchangeWithBindings() async throws {
        try await with { _, _, recorder, broker in
            let consumer = try TestConsumer(topology: topology, queues: [.init(name: queue.name, prefetch: 1)])
            consumer.start()
            try await consumer.log.wait("the first connection") { $0.connections == 1 }
            try await broker.delete(queues: [], exchanges: [exchange.name])
            // The broker cancels the consumer of a deleted queue. The consumer then reconnects.
            try await broker.delete(queues: [queue.name], exchanges: [])
            try await consumer.log.wait("the second connection") { $0.connections == 2 }
            await consumer.consumer.close()
            try await publishesFromElsewhere(recorder)
        }
    }
}

struct RepairBackoffTests {
    @Test func waitsLongerAfterEachFailureUpToOneMinute() {
        var (backoff, now) = (RepairBackoff(), ContinuousClock.now)
        #expect(backoff.allowsAttempt(at: now))
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            backoff.failed(at: now, random: 1)
            #expect(!backoff.allowsAttempt(at: now + .seconds(seconds) - .milliseconds(1)))
            now += .seconds(seconds)
            #expect(backoff.allowsAttempt(at: now))
        }
        backoff.failed(at: now, random: 1)
        backoff.succeeded()
        #expect(backoff.allowsAttempt(at: now))
        backoff.failed(at: now, random: 1)
        #expect(backoff.allowsAttempt(at: now + .seconds(1)), "the back-off must restart after a success")
    }
}

struct VanishedObjectsTests {
    @Test func reportsLostMessagesOnlyWithinQueueTTL() {
        let topology = AMQPTopology(
            exchanges: [AMQPExchange(name: "delay", kind: .fanout)],
            queues: [AMQPQueue(name: "delay", arguments: ["x-message-ttl": .int64(30_000)]), AMQPQueue(name: "dead")],
            bindings: [
                AMQPBinding(queue: "delay", exchange: "delay", routingKey: ""),
                AMQPBinding(queue: "dead", exchange: "dead", routingKey: "#"),
            ])
        let now = ContinuousClock.now
        var vanished = VanishedObjects(topology)
        #expect(vanished.lossesAreCertain(["delay", "dead"], now: now) == [])
        for exchange in ["delay", "dead"] {
            vanished.confirmed(
                AMQPPublication(id: 1, exchange: exchange, routingKey: "", isMandatory: true, body: []), at: now)
        }
        #expect(vanished.lossesAreCertain(["delay", "dead"], now: now + .seconds(29)) == ["delay"])
        #expect(vanished.lossesAreCertain(["delay"], now: now + .seconds(30)) == [])
    }
    @Test func includesExchangesThatPublicationsFoundMissing() {
        var vanished = VanishedObjects(AMQPTopology(exchanges: [AMQPExchange(name: "results", kind: .topic)]))
        #expect(vanished.hasExchange("results") && !vanished.hasExchange("other"))
        vanished.missed("results")
        #expect(vanished.checked(.init(exchanges: ["results"])) == .init(exchanges: ["results"]), "exchange named once")
        vanished.missed("results")
        #expect(vanished.checked(.init(queues: ["dead"])) == .init(exchanges: ["results"], queues: ["dead"]))
        #expect(vanished.checked(.init()).isEmpty, "each loss is reported once")
    }
}
