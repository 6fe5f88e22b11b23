import Addressing
import AMQPClient
import TestTraits
import Testing

/// What no broker should send ends the connection at most, and never the process.
@Suite("A broker that is none", .endsAHang)
struct OddBrokerTests {
    private func consume(
        _ odd: [UInt8], _ body: (TestConsumer) async throws -> Void
    ) async throws {
        let broker = try OddBroker(sending: odd)
        defer { broker.stop() }
        let configuration = AMQPConfiguration(endpoints: [.init(host: "127.0.0.1", port: Int(broker.port))])
        let test = try TestConsumer(configuration, queues: [.init(name: "queue", prefetch: 10)])
        test.start()
        try await body(test)
        await test.consumer.close()
    }

    @Test("a message on a channel that is not open, or not ours to consume on", arguments: [0, 1, 3, 200] as [UInt8])
    func strangeChannel(channel: UInt8) async throws {
        try await consume(OddBroker.delivery(channel: channel)) { test in
            try await test.log.wait("a failure") { !$0.failures.isEmpty }
            #expect(test.log.events.failures.first?.code == .protocolViolation, "\(test.log.events)")
            #expect(test.log.events.deliveries.isEmpty)
        }
    }

    @Test(
        "frames that are none",
        arguments: [
            OddBroker.frame(2, 2, [0, 60]), OddBroker.frame(1, 2, [0]), OddBroker.frame(1, 2, [0xFF, 0, 0, 1]),
            OddBroker.frame(3, 2, [1]), [1, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0], [3, 0, 2, 0, 0, 0, 1, 7, 0],
        ])
    func brokenFrames(odd: [UInt8]) async throws {
        try await consume(odd) { test in
            try await test.log.wait("a failure") { !$0.failures.isEmpty }
            #expect(test.log.events.failures.first?.code == .protocolViolation, "\(test.log.events)")
        }
    }

    /// Headers with a value of an unknown type, and one that reaches beyond its table.
    @Test("properties that can't be read cost nobody the connection")
    func unreadable() async throws {
        let unknown = OddBroker.long([1, UInt8(ascii: "a"), UInt8(ascii: "?")])
        let tooLong = OddBroker.long([1, UInt8(ascii: "a"), UInt8(ascii: "S"), 0, 0, 0, 9])
        let odd = [unknown, tooLong].flatMap { OddBroker.delivery(channel: 2, properties: [0x20, 0] + $0) }
        try await consume(odd + OddBroker.delivery(channel: 2)) { test in
            try await test.log.wait("all messages") { $0.deliveries.count == 3 }
            let problems = test.log.events.deliveries.map(\.problem)
            #expect(problems == ["have a value of the unknown type 63", "are cut off", nil])
            #expect(test.log.events.failures == [])
        }
    }

    private static let (look, bindQueue, bindExchange, unbindQueue, lookForQueue) =
        ("40.10", "50.20", "40.30", "50.50", "50.10")

    /// Connects with a spread of two queues each, of which one is asked for.
    /// - Returns: what it has done, and how many queues it has found.
    private func lay(_ keys: [String], over broker: OddBroker) async throws -> ([String], Int?) {
        let configuration = AMQPConfiguration(endpoints: [.init(host: "127.0.0.1", port: Int(broker.port))])
        let ways = keys.map {
            AMQPSpread.Way(keys: [$0], middle: AMQPExchange(name: $0, kind: .random), queues: ["\($0).1", "\($0).2"])
        }
        let test = try TestPublisher(
            configuration, topology: AMQPTopology(spread: AMQPSpread(exchange: "jobs", ways: ways, width: 1)))
        try await test.connectOnce()
        try await test.log.wait("the number of queues") { $0.widths != [] }
        let width = test.log.events.widths.last
        await test.publisher.close()
        return (broker.methods.filter { $0.hasPrefix("40.") || $0.hasPrefix("50.") }, width)
    }

    /// Between its look and its binding others have made the middle, and unbound what was bound then.
    @Test("who has bound a queue past a middle that is there by now takes that back")
    func lateBinding() async throws {
        let broker = try OddBroker(hidden: 1)
        defer { broker.stop() }
        #expect(
            try await lay(["key"], over: broker).0 == [
                Self.look, Self.bindQueue, Self.look, Self.bindQueue, Self.bindExchange, Self.unbindQueue,
                Self.unbindQueue, Self.lookForQueue,
            ], "the way past the middle goes when the one over it is there, then what is too many")
    }

    @Test("what is left in more queues than one is counted when there is no middle any more")
    func left() async throws {
        let broker = try OddBroker(hidden: .max, shown: 1)
        defer { broker.stop() }
        let (methods, width) = try await lay(["key"], over: broker)
        #expect(methods == [Self.look, Self.bindQueue, Self.look, Self.lookForQueue])
        #expect(width == 2)
    }

    @Test("where one middle of several is there, nothing is bound past any, and the others are made again")
    func oneMiddle() async throws {
        let broker = try OddBroker(hidden: 1)
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
