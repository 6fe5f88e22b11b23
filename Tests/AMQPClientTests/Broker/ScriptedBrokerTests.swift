import Foundations
import AMQPClient
import TestTraits
import Testing

/// Invalid data from a broker, which may end the connection but must never end the process.
@Suite("A broker that is none", .endsAHang)
struct ScriptedBrokerTests {
    private func consume(
        _ odd: [UInt8], _ body: (TestConsumer) async throws -> Void
    ) async throws {
        let broker = try ScriptedBroker(sending: odd)
        defer { broker.stop() }
        let configuration = AMQPConfiguration(endpoints: [.init(host: "127.0.0.1", port: Int(broker.port))])
        let test = try TestConsumer(configuration, queues: [.init(name: "queue", prefetch: 10)])
        test.start()
        try await body(test)
        await test.consumer.close()
    }

    @Test("a delivery on a channel without a consumer is rejected", arguments: [0, 1, 3, 200] as [UInt8])
    func rejectsDeliveryOnChannelWithoutConsumer(channel: UInt8) async throws {
        try await consume(ScriptedBroker.delivery(channel: channel)) { test in
            try await test.log.wait("a failure") { !$0.failures.isEmpty }
            #expect(test.log.events.failures.first?.code == .protocolViolation, "\(test.log.events)")
            #expect(test.log.events.deliveries.isEmpty)
        }
    }

    @Test(
        "malformed frames are rejected",
        arguments: [
            ScriptedBroker.frame(2, 2, [0, 60]), ScriptedBroker.frame(1, 2, [0]),
            ScriptedBroker.frame(1, 2, [0xFF, 0, 0, 1]),
            ScriptedBroker.frame(3, 2, [1]), [1, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0], [3, 0, 2, 0, 0, 0, 1, 7, 0],
        ])
    func rejectsMalformedFrames(odd: [UInt8]) async throws {
        try await consume(odd) { test in
            try await test.log.wait("a failure") { !$0.failures.isEmpty }
            #expect(test.log.events.failures.first?.code == .protocolViolation, "\(test.log.events)")
        }
    }

    /// A header has a value of an unknown type, another one extends beyond its table.
    @Test("unreadable properties do not end the connection")
    func keepsConnectionDespiteUnreadableProperties() async throws {
        let unknown = ScriptedBroker.long([1, UInt8(ascii: "a"), UInt8(ascii: "?")])
        let tooLong = ScriptedBroker.long([1, UInt8(ascii: "a"), UInt8(ascii: "S"), 0, 0, 0, 9])
        let odd = [unknown, tooLong].flatMap { ScriptedBroker.delivery(channel: 2, properties: [0x20, 0] + $0) }
        try await consume(odd + ScriptedBroker.delivery(channel: 2)) { test in
            try await test.log.wait("all messages") { $0.deliveries.count == 3 }
            let problems = test.log.events.deliveries.map(\.problem)
            #expect(problems == ["have a value of the unknown type 63", "are cut off", nil])
            #expect(test.log.events.failures == [])
        }
    }

    private static let (look, bindQueue, bindExchange, unbindQueue, lookForQueue) =
        ("40.10", "50.20", "40.30", "50.50", "50.10")

    /// Connects with a spread of two queues for each key, one of which is requested.
    /// - Returns: the methods that the client sent, and the number of queues that it found.
    private func lay(_ keys: [String], over broker: ScriptedBroker) async throws -> ([String], Int?) {
        let configuration = AMQPConfiguration(endpoints: [.init(host: "127.0.0.1", port: Int(broker.port))])
        let ways = keys.map {
            AMQPSharding.Way(keys: [$0], middle: AMQPExchange(name: $0, kind: .random), queues: ["\($0).1", "\($0).2"])
        }
        let test = try TestPublisher(
            configuration, topology: AMQPTopology(sharding: AMQPSharding(exchange: "jobs", ways: ways, width: 1)))
        try await test.connectOnce()
        try await test.log.wait("the number of queues") { $0.widths != [] }
        let width = test.log.events.widths.last
        await test.publisher.close()
        return (broker.methods.filter { $0.hasPrefix("40.") || $0.hasPrefix("50.") }, width)
    }

    /// After this client looked for the middle and before it bound the queue, another client created the middle and
    /// removed the direct bindings of that time.
    @Test("a direct binding of a queue is removed if the middle exists by then")
    func removesDirectBindingIfMiddleAppears() async throws {
        let broker = try ScriptedBroker(hidden: 1)
        defer { broker.stop() }
        #expect(
            try await lay(["key"], over: broker).0 == [
                Self.look, Self.bindQueue, Self.look, Self.bindQueue, Self.bindExchange, Self.unbindQueue,
                Self.unbindQueue, Self.lookForQueue,
            ], "the direct binding must go after the one through the middle exists, then the surplus binding")
    }

    @Test("queues that still exist are counted even if the middle is gone")
    func countsRemainingQueuesWithoutMiddle() async throws {
        let broker = try ScriptedBroker(hidden: .max, shown: 1)
        defer { broker.stop() }
        let (methods, width) = try await lay(["key"], over: broker)
        #expect(methods == [Self.look, Self.bindQueue, Self.look, Self.lookForQueue])
        #expect(width == 2)
    }

    @Test("if one of several middles exists, no queue is bound directly, and the others are created")
    func createsMissingMiddles() async throws {
        let broker = try ScriptedBroker(hidden: 1)
        defer { broker.stop() }
        let declare = Self.look
        let way = [Self.bindQueue, Self.bindExchange, Self.unbindQueue]
        #expect(
            try await lay(["a", "b"], over: broker).0
                == [Self.look, Self.look, declare] + way + way + [
                    Self.unbindQueue, Self.unbindQueue, Self.lookForQueue,
                ])
    }
}
