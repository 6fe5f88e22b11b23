import AMQPClient
import DeliveryPipeline
import Foundation
import Logging
import Synchronization
import TestSupport

/// A consumer of the results exchange with a durable queue of its own, as an application would have.
final class ResultCollector: Sendable {
    struct Entry: Sendable {
        let verdict: Verdict
        let worker: String?
        let outcome: ResultEvent.Outcome
    }

    private struct State {
        var seen: Set<String> = []
        var bodies: [String] = []
        var rejections: [ResultEvent] = []
        var entries: [Addressee: [Entry]] = [:]
        var problems: [String] = []
    }

    private let state = Mutex(State())
    private let started = Mutex<AMQPConsumer?>(nil)

    static func queue(of names: PipelineNames) -> String { "\(names.prefix).collected" }

    func start(_ names: PipelineNames, broker: AMQPConfiguration, logger: Logger) async throws {
        let queue = AMQPQueue(name: Self.queue(of: names), arguments: ["x-queue-type": "quorum"])
        let results = names.topology(delays: []).exchanges.filter { $0.name == names.results }
        let topology = AMQPTopology(
            exchanges: results, queues: [queue],
            bindings: [AMQPBinding(queue: queue.name, exchange: names.results, routingKey: "#")])
        let consumer = try AMQPConsumer(
            configuration: broker, topology: topology, queues: [AMQPConsumedQueue(name: queue.name, prefetch: 200)],
            logger: logger
        ) { [self] event in
            guard case .deliveries(let deliveries) = event else { return }
            for delivery in deliveries { take(delivery) }
            started.withLock { $0 }?.acknowledge(deliveries.map { AMQPAcknowledgement($0.tag) })
        }
        started.withLock { $0 = consumer }
        try await consumer.connectOnce()
    }

    func stop() async { await started.withLock { $0.take() }?.close() }

    /// An event that the broker delivers again, or got twice, has the same message id.
    private func take(_ delivery: AMQPDelivery) {
        state.withLock { state in
            guard let id = delivery.properties.messageID else { return state.problems.append("an event without an id") }
            guard state.seen.insert(id).inserted else { return }
            state.bodies.append(String(decoding: delivery.body, as: UTF8.self))
            do {
                let event = try JSONDecoder().decode(ResultEvent.self, from: Data(delivery.body))
                if event.errors != nil { state.rejections.append(event) }
                for outcome in event.outcomes ?? [] {
                    let verdict = Verdict(kind: event.kind, reason: outcome.reason, by: outcome.by)
                    state.entries[Addressee(job: outcome.job, token: outcome.recipient), default: []]
                        .append(Entry(verdict: verdict, worker: event.worker, outcome: outcome))
                }
            } catch {
                state.problems.append("\(error)")
            }
        }
    }

    var entries: [Addressee: [Entry]] { state.withLock { $0.entries } }
    var rejections: [ResultEvent] { state.withLock { $0.rejections } }
    /// Recipients that have an outcome.
    var count: Int { state.withLock { $0.entries.count } }

    /// How many recipients ended so.
    var tally: [String: Int] {
        entries.values.flatMap { $0 }.reduce(into: [:]) { $0[$1.verdict.description, default: 0] += 1 }
    }

    /// Waits until so many recipients have an outcome.
    func wait(for recipients: Int, within limit: Duration = .seconds(60)) async throws {
        try await eventually("\(recipients) recipients with an outcome; there are \(tally)", within: limit) {
            count >= recipients
        }
    }

    /// What is wrong with the events, as the schema sees it.
    func schemaProblems() async throws -> [String] {
        let (bodies, problems) = state.withLock { ($0.bodies, $0.problems) }
        guard !bodies.isEmpty else { return problems }
        return problems
            + (try await SchemaValidator.problems(in: bodies, schema: "event.schema.json")).map {
                "\(bodies[$0]): \($1.joined(separator: "; "))"
            }
    }
}
