import Foundations
import AMQPClient
import TestTraits
import Testing

@Suite("Publisher on a broker", .needsBroker, .endsAHang)
struct PublisherTests {
    @Test("each of ten thousand publications is confirmed once")
    func confirmsEachPublicationOnce() async throws {
        let queue = TestBroker.queue("confirms")
        let test = try TestPublisher(topology: AMQPTopology(queues: [queue]), unconfirmedLimit: 500)
        // Publishes before the connection exists, in batches from several tasks.
        await withTaskGroup(of: Void.self) { group in
            for start in stride(from: 0, to: 10_000, by: 1000) {
                group.addTask {
                    test.publisher.publish((start..<start + 1000).map { publication(UInt64($0), to: queue.name) })
                }
            }
        }
        #expect(test.publisher.unconfirmedCount == 10_000)
        test.start()
        try await test.log.wait("ten thousand confirms") { $0.confirmed.count >= 10_000 }
        #expect(Set(test.log.events.confirmed) == Set(0..<10_000))
        #expect(test.log.events.confirmed.count == 10_000)
        #expect(await test.publisher.close() == 0)
        #expect(test.publisher.unconfirmedCount == 0)
        #expect(!test.publisher.publish([publication(1, to: queue.name)]))
    }

    @Test("a publisher that was never started can be closed twice")
    func closesTwiceWithoutStart() async throws {
        let queue = TestBroker.queue("closed")
        let test = try TestPublisher(topology: AMQPTopology(queues: [queue]))
        test.publisher.publish([publication(1, to: queue.name)])
        #expect(await test.publisher.close() == 1)
        _ = await test.publisher.close()
    }

    @Test("an unroutable mandatory publication is returned instead of confirmed")
    func returnsUnroutableMandatoryPublication() async throws {
        let queue = TestBroker.queue("returned")
        let test = try TestPublisher(topology: AMQPTopology(queues: [queue]))
        let nowhere = TestBroker.uniqueName("nowhere")
        test.publisher.publish([
            publication(1, to: queue.name, isMandatory: true), publication(2, to: nowhere, isMandatory: true),
            publication(3, to: nowhere), publication(4, to: nowhere, isMandatory: true),
            publication(5, to: queue.name, isMandatory: true),
        ])
        test.start()
        try await test.log.wait("five verdicts") { $0.confirmed.count + $0.returned.count == 5 }
        let events = test.log.events
        #expect(Set(events.confirmed) == [1, 3, 5])
        #expect(events.returned.map(\.id) == [2, 4])
        #expect(events.returned.allSatisfy { $0.code == 312 && $0.text == "NO_ROUTE" }, "\(events.returned)")
        await test.publisher.close()
    }

    @Test func confirmsAndReportsUnroutablePublication() async throws {
        let queue = TestBroker.queue("unroutable")
        let test = try TestPublisher(topology: AMQPTopology(queues: [queue]))
        let nowhere = TestBroker.uniqueName("nowhere")
        func sample(_ id: UInt64, to queue: String) -> AMQPPublication {
            AMQPPublication(id: id, exchange: "", routingKey: queue, reportsUnroutable: true, body: Array("\(id)".utf8))
        }
        test.publisher.publish([sample(1, to: queue.name), sample(2, to: nowhere), publication(3, to: nowhere)])
        test.start()
        try await test.log.wait("three verdicts") { $0.confirmed.count == 3 }
        let events = test.log.events
        #expect(Set(events.confirmed) == [1, 2, 3])
        #expect(events.unroutable == [2] && events.returned.isEmpty, "\(events)")
        #expect(test.publisher.unconfirmedCount == 0)
        await test.publisher.close()
    }

    @Test("publications to a missing exchange are returned, and the others are published once")
    func returnsPublicationsToMissingExchange() async throws {
        let queue = TestBroker.queue("missing-exchange")
        let test = try TestPublisher(topology: AMQPTopology(queues: [queue]))
        let missing = TestBroker.uniqueName("missing")
        test.publisher.publish(
            (0..<100).map { id in
                id % 10 == 3
                    ? AMQPPublication(id: id, exchange: missing, routingKey: "", body: [3])
                    : publication(id, to: queue.name)
            })
        test.start()
        try await test.log.wait("a hundred verdicts") { $0.confirmed.count + $0.returned.count >= 100 }
        let events = test.log.events
        #expect(Set(events.returned.map(\.id)) == Set((0..<100).filter { $0 % 10 == 3 }))
        #expect(events.returned.allSatisfy { $0.code == 404 && $0.text.contains(missing) }, "\(events.returned)")
        #expect(Set(events.confirmed) == Set((0..<100).filter { $0 % 10 != 3 }))
        #expect(Set(events.mayBeTaken) == Set(events.returned.map(\.id)), "all had been sent before")
        #expect(events.connections == 1, "the connection must be kept")
        await test.publisher.close()
    }

    @Test("a property that the broker rejects is reported for its publication only")
    func returnsOnlyPublicationWithRejectedProperty() async throws {
        let queue = TestBroker.queue("refused-property")
        let test = try TestPublisher(topology: AMQPTopology(queues: [queue]))
        test.publisher.publish([
            publication(1, to: queue.name),
            AMQPPublication(
                id: 2, exchange: "", routingKey: queue.name, properties: AMQPProperties(userID: "somebody-else"),
                body: []),
            publication(3, to: queue.name),
        ])
        test.start()
        try await test.log.wait("three verdicts") { $0.confirmed.count + $0.returned.count >= 3 }
        #expect(test.log.events.returned.map(\.id) == [2])
        #expect(test.log.events.returned.first?.code == 406)
        #expect(Set(test.log.events.confirmed) == [1, 3])
        await test.publisher.close()
    }

    @Test("a publication that AMQP can't encode is returned, and the connection is kept")
    func returnsPublicationsThatCannotBeEncoded() async throws {
        let queue = TestBroker.queue("impossible")
        let test = try TestPublisher(topology: AMQPTopology(queues: [queue]))
        let long = String(repeating: "x", count: 256)
        test.publisher.publish([
            AMQPPublication(id: 1, exchange: "", routingKey: long, body: []),
            AMQPPublication(
                id: 2, exchange: "", routingKey: queue.name, properties: AMQPProperties(headers: [long: true]), body: []
            ),
            AMQPPublication(
                id: 3, exchange: "", routingKey: queue.name,
                properties: AMQPProperties(headers: ["h": .string(String(repeating: "x", count: 200_000))]), body: []),
            publication(4, to: queue.name),
        ])
        test.start()
        try await test.log.wait("four verdicts") { $0.confirmed.count + $0.returned.count >= 4 }
        #expect(test.log.events.returned.map(\.id) == [1, 2, 3])
        #expect(test.log.events.returned.map(\.code) == [0, 0, 0])
        #expect(test.log.events.returned.first?.text == "routing key is longer than 255 bytes")
        #expect(test.log.events.confirmed == [4])
        #expect(test.log.events.failures == [])
        await test.publisher.close()
    }

    @Test("a publication that a full queue rejects is reported as refused")
    func reportsPublicationRejectedByFullQueue() async throws {
        let queue = TestBroker.queue("full", arguments: ["x-max-length": 1, "x-overflow": "reject-publish"])
        let test = try TestPublisher(topology: AMQPTopology(queues: [queue]))
        test.start()
        try await test.publisher.publishAndWait([publication(0, to: queue.name)])
        test.publisher.publish([publication(7, to: queue.name)])
        try await test.log.wait("the refusal") { !$0.refused.isEmpty }
        #expect(test.log.events.refused == [7])
        let error = await #expect(throws: AMQPError.self) {
            try await test.publisher.publishAndWait([publication(8, to: queue.name)])
        }
        #expect(error?.code == .publicationRefused)
        #expect(test.log.events.confirmed == [])
        await test.publisher.close()
    }

    @Test("waiting for a publication to a missing exchange throws the broker's error")
    func throwsErrorForMissingExchange() async throws {
        let test = try TestPublisher()
        test.start()
        let error = await #expect(throws: AMQPError.self) {
            try await test.publisher.publishAndWait([
                AMQPPublication(id: 1, exchange: TestBroker.uniqueName("missing"), routingKey: "", body: [])
            ])
        }
        #expect(error?.reply?.code == 404)
        await test.publisher.close()
    }

    @Test("closing without a connection reports the unpublished messages in time")
    func reportsUnpublishedMessagesOnClose() async throws {
        var configuration = try TestBroker.configuration()
        configuration.endpoints = [.init(host: "127.0.0.1", port: 1)]
        let test = try TestPublisher(configuration)
        test.start()
        test.publisher.publish([publication(5, to: "x")])
        try await test.log.wait("a failed attempt") { !$0.failures.isEmpty }
        #expect(test.log.events.failures.first?.code == .connectionFailed)
        let awaited = Task { try await test.publisher.publishAndWait([publication(6, to: "x")]) }
        #expect(await test.publisher.close(drain: .milliseconds(300)) >= 1)
        guard case .closed(let unconfirmed, nil) = test.log.events.last else {
            Issue.record("expected a close without an error, got \(String(describing: test.log.events.last))")
            return
        }
        #expect(unconfirmed == [5])
        let error = await #expect(throws: AMQPError.self) { try await awaited.value }
        #expect(error?.code == .closed)
    }

    private func publication(_ id: UInt64, to queue: String, isMandatory: Bool = false) -> AMQPPublication {
        AMQPPublication(id: id, exchange: "", routingKey: queue, isMandatory: isMandatory, body: Array("\(id)".utf8))
    }
}
