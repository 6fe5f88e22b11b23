import Foundations
import AMQPClient
import TestTraits
import Testing

/// Invalid data from a broker, which may end the connection but must never end the process.
@Suite("Invalid data from a broker", .endsAHang)
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

    /// The first message has a header of an unknown type. The header of the second message extends beyond its table.
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
}
