import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import TestSupport
import TestTraits
import Testing

/// The programs in examples/clients, with exchange and queue names replaced by those of a test installation.
/// ``BrokersPageTests`` runs the shell scripts.
@Suite(.needsServers, .endsAHang)
struct ClientExampleTests {
    private static let app = "com.example.shop"

    @Test(.needs(.go)) func publishesAndConsumesInGo() async throws { try await publishesAndConsumes(.go) }
    @Test(.needs(.java)) func publishesAndConsumesInJava() async throws { try await publishesAndConsumes(.java) }
    @Test(.needs(.node)) func publishesAndConsumesInNode() async throws { try await publishesAndConsumes(.node) }
    @Test(.needs(.php)) func publishesAndConsumesInPHP() async throws { try await publishesAndConsumes(.php) }
    @Test(.needs(.python)) func publishesAndConsumesInPython() async throws { try await publishesAndConsumes(.python) }
    @Test(.needs(.ruby)) func publishesAndConsumesInRuby() async throws { try await publishesAndConsumes(.ruby) }

    private func publishesAndConsumes(_ language: ClientLanguage) async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await delivers(try await ClientExample(language, installation), installation)
            try await fails(language, installation)
        }
    }

    /// Checks that the programs publish jobs, and print dead tokens and problems.
    private func delivers(_ example: ClientExample, _ installation: Installation) async throws {
        let (url, broker, queue) = (
            installation.servers.broker, installation.broker, ClientExample.queue(installation)
        )
        let (good, dead, bad) = (Token.random(), Token.random(Token.dead), Token.random(Token.bad))
        let unclear = ClientExample.unclearJob("order-3", app: Self.app)
        try await installation.withWorker { worker in
            try await installation.eventuallyConsumes(worker)
            let port = try #require(URLComponents(string: url)?.port)
            let proxy = try TCPProxy(target: UInt16(clamping: port))
            defer { proxy.stop() }
            let consumer = try example.start("consume", url: url.replacing(":\(port)", with: ":\(proxy.port)"))
            defer { consumer.signal(SIGKILL) }
            try await eventually("a consumer runs: \(consumer.errors)") { try await broker.consumers(of: queue) == 1 }
            for (id, tokens) in [("order-1", [good, dead, bad]), ("order-2", [])] {
                let published = try await example.publish(id, to: tokens, url: url)
                #expect(published.status == 0, "\(published)")
            }
            try await installation.publish([unclear.job])
            try await eventually("the consumer prints four lines: \(consumer.output)\(consumer.errors)") {
                let lines = consumer.output.split(separator: "\n")
                return lines.contains { $0.hasPrefix("dead \(dead) 20") }
                    && lines.contains("problem order-1 rejected BadDeviceToken \(bad)")
                    && lines.contains("problem order-2 job.rejected recipients must not be empty")
                    && lines.contains { $0 == unclear.line } && lines.count == 4
            }
            #expect(installation.results.tally["sent"] == 1 && consumer.isRunning)
            try await loses(proxy, consumer, of: example, url: url)
            // Events that the consumer has not acknowledged are in the queue again.
            try await eventually("the consumer is gone") { try await broker.consumers(of: queue) == 0 }
            let left = try #require(try await broker.counts([queue])[queue])
            #expect(left <= 1, "at most the last event is left: it is printed before it is acknowledged")
        }
        try await broker.delete(queues: [queue], exchanges: [])
    }

    /// Cuts the connection, and checks that the consumer reconnects, or exits with an error so that its supervisor
    /// restarts it.
    private func loses(
        _ proxy: TCPProxy, _ consumer: Subprocess, of example: ClientExample, url: String
    ) async throws {
        proxy.cut()
        if example.language.comesBack {
            let dead = Token.random(Token.dead)
            #expect(try await example.publish("order-7", to: [dead], url: url).status == 0)
            try await eventually("the consumer prints a token again: \(consumer.output)\(consumer.errors)") {
                consumer.output.contains("dead \(dead) 20")
            }
            consumer.signal(SIGKILL)
            _ = try await consumer.finish()
        } else {
            let ended = try await consumer.finish()
            #expect(ended.status != 0, "\(ended)")
        }
    }

    /// Checks that the publisher exits with an error if the message is returned or refused, or if no broker answers.
    private func fails(_ language: ClientLanguage, _ installation: Installation) async throws {
        let (prefix, url) = (installation.names.prefix, installation.servers.broker)
        let (nowhere, narrow) = ("\(prefix).nowhere", "\(prefix).narrow")
        let topology = AMQPTopology(
            exchanges: [AMQPExchange(name: nowhere, kind: .direct), AMQPExchange(name: narrow, kind: .fanout)],
            queues: [AMQPQueue(name: narrow, arguments: ["x-max-length": 1, "x-overflow": "reject-publish"])],
            bindings: [AMQPBinding(queue: narrow, exchange: narrow, routingKey: "")])
        let declaring = try AMQPPublisher(
            configuration: try installation.brokerConfiguration(), topology: topology,
            logger: installation.log.logger("examples"))
        try await declaring.connectOnce()
        await declaring.close()

        let unroutable = try await ClientExample(language, to: nowhere, installation)
            .publish("order-3", to: [Token.random()], url: url)
        #expect(unroutable.status != 0 && unroutable.errors.localizedCaseInsensitiveContains("rout"), "\(unroutable)")

        let tight = try await ClientExample(language, to: narrow, installation)
        let first = try await tight.publish("order-4", to: [Token.random()], url: url)
        #expect(first.status == 0, "\(first)")
        let kept = try await installation.broker.messages(in: narrow)
        #expect(kept.map(\.id) == ["order-4"] && kept.allSatisfy(\.isPersistent), "\(kept)")
        let second = try await tight.publish("order-5", to: [Token.random()], url: url)
        #expect(second.status != 0, "a negative confirm makes the publisher fail: \(second)")
        // Java's channel stays open after a negative confirm.
        #expect(language != .java || second.errors.contains("order-5: refused"), "\(second)")

        let port = try RefusingPort()
        let alone = try await tight.publish("order-6", to: [Token.random()], url: "amqp://127.0.0.1:\(port.port)")
        #expect(alone.status != 0, "\(alone)")
        try await installation.broker.delete(queues: [narrow], exchanges: [nowhere, narrow])
    }
}

extension Trait where Self == ConditionTrait {
    fileprivate static func needs(_ language: ClientLanguage) -> Self {
        .enabled(if: language.isInstalled, "\(language.hint)")
    }
}
