import Foundations
import AMQPClient
import TestTraits
import Testing

@Suite("Inspection of a broker", .needsBroker, .endsAHang)
struct InspectionTests {
    @Test("messages are counted, and missing objects are named but not created")
    func countsMessagesAndNamesMissingObjects() async throws {
        let (here, there) = (TestBroker.queue("here"), TestBroker.queue("there"))
        let exchange = AMQPExchange(name: TestBroker.uniqueName("nowhere"), kind: .topic)
        try await TestPublisher.publish([[1], [2]], to: here)
        let wanted = AMQPTopology(exchanges: [exchange], queues: [there, here])
        for comparesProperties in [false, true] {
            let found = try await AMQPInspection.look(
                at: wanted, on: TestBroker.configuration(), comparesProperties: comparesProperties)
            #expect(found.missing == ["exchange \(exchange.name)", "queue \(there.name)"])
            #expect(found.problems == [])
            #expect(found.queues == [here.name: .init(messages: 2, consumers: 0)])
            #expect(found.broker.hasPrefix("RabbitMQ "), "\(found.broker)")
        }
    }

    @Test("a queue with other properties is reported if requested, and later queues are still inspected")
    func reportsDifferentPropertiesOnRequest() async throws {
        let queue = TestBroker.queue("differs"), last = TestBroker.queue("last")
        try await TestPublisher.publish([], to: queue)
        try await TestPublisher.publish([], to: last)
        var arguments = queue.arguments
        arguments["x-max-length"] = 5
        let wanted = AMQPTopology(queues: [AMQPQueue(name: queue.name, arguments: arguments), last])
        let found = try await AMQPInspection.look(
            at: wanted, on: TestBroker.configuration(), comparesProperties: true)
        #expect(found.problems.count == 1 && found.missing == [])
        #expect(found.problems.first?.description.contains("x-max-length") == true, "\(found.problems)")
        #expect(Set(found.queues.keys) == [queue.name, last.name])
        let glance = try await AMQPInspection.look(at: wanted, on: TestBroker.configuration())
        #expect(glance.problems == [] && glance.missing == [])
    }

    @Test("the next host is tried if one is unreachable, and an error names the host if all are unreachable")
    func triesNextHostAndNamesUnreachableHost() async throws {
        var configuration = try TestBroker.configuration()
        let away = Endpoint(host: "127.0.0.1", port: 1)
        configuration.endpoints.insert(away, at: 0)
        let found = try await AMQPInspection.look(at: AMQPTopology(), on: configuration)
        #expect(found.missing == [])
        configuration.endpoints = [away]
        let error = await #expect(throws: AMQPError.self) {
            try await AMQPInspection.look(at: AMQPTopology(), on: configuration)
        }
        #expect(error?.description.contains("127.0.0.1:1") == true)
    }
}
