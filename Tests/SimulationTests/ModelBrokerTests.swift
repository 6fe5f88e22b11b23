import AMQPClient
import FleetSimulation
import Testing

/// Tests of the rules in the documentation of ``ModelBroker``.
@Suite struct ModelBrokerTests {
    private let timeline = Timeline()

    private func broker(_ queues: [AMQPQueue]) -> ModelBroker {
        ModelBroker(
            AMQPTopology(
                exchanges: [
                    AMQPExchange(name: "in", kind: .direct, arguments: ["alternate-exchange": "rest"]),
                    AMQPExchange(name: "out", kind: .fanout), AMQPExchange(name: "rest", kind: .topic),
                ], queues: queues + [AMQPQueue(name: "end"), AMQPQueue(name: "others")],
                bindings: queues.map { AMQPBinding(queue: $0.name, exchange: "in", routingKey: "key") }
                    + [
                        AMQPBinding(queue: "end", exchange: "out", routingKey: ""),
                        AMQPBinding(queue: "others", exchange: "rest", routingKey: "#"),
                    ]), timeline)
    }

    private func queue(_ arguments: AMQPFieldTable) -> AMQPQueue { AMQPQueue(name: "queue", arguments: arguments) }

    @discardableResult
    private func publish(_ key: String = "key", to broker: ModelBroker) -> ModelBroker.Verdict {
        broker.publish(
            ModelMessage(AMQPPublication(id: 1, exchange: "in", routingKey: key, body: [])), from: "test")
    }

    @Test func deadLettersExpiredMessage() {
        let broker = broker([queue(["x-message-ttl": 5_000, "x-dead-letter-exchange": "out"])])
        publish(to: broker)
        timeline.run(untilMilliseconds: 4_999)
        #expect(broker.queues["queue"]?.count == 1)
        timeline.run(untilMilliseconds: 5_010)
        #expect(broker.queues["queue"]?.count == 0 && broker.queues["end"]?.count == 1)
    }

    @Test func retriesRefusedDeadLetterAfterThreeMinutes() {
        let broker = broker([queue(["x-message-ttl": 1_000, "x-dead-letter-exchange": "out"])])
        broker.queues["end"]?.maximumLength = 0
        publish(to: broker)
        timeline.run(untilMilliseconds: 100_000)
        #expect(broker.queues["queue"]?.count == 1)
        broker.queues["end"]?.maximumLength = nil
        timeline.run(untilMilliseconds: 182_000)
        #expect(broker.queues["queue"]?.count == 0 && broker.queues["end"]?.count == 1)
    }

    /// A queue dead-letters at most 32 expired messages at a time. If all of them are refused, the others stay in the
    /// queue until the retry after three minutes.
    @Test func keepsExpiredMessagesBehind32RefusedDeadLetters() {
        let broker = broker([queue(["x-message-ttl": 1_000, "x-dead-letter-exchange": "out"])])
        broker.queues["end"]?.maximumLength = 0
        for _ in 0..<40 { publish(to: broker) }
        timeline.run(untilMilliseconds: 2_000)
        broker.queues["end"]?.maximumLength = nil
        timeline.run(untilMilliseconds: 180_000)
        #expect(broker.queues["end"]?.count == 0)
        timeline.run(untilMilliseconds: 182_000)
        #expect(broker.queues["end"]?.count == 40)
    }

    @Test func refusesMessageForFullQueue() {
        let broker = broker([queue([:])])
        broker.queues["queue"]?.maximumLength = 1
        #expect(publish(to: broker) == .confirmed)
        #expect(publish(to: broker) == .refused)
    }

    @Test func routesUnknownKeyToAlternateExchange() {
        let broker = broker([queue([:])])
        #expect(publish("other", to: broker) == .confirmed)
        #expect(broker.queues["others"]?.count == 1 && broker.queues["queue"]?.count == 0)
    }
}
