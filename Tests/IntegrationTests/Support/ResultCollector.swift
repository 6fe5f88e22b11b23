import AMQPClient
import DeliveryPipeline
import Foundation
import Logging
import TestSupport
import Threading
import WorkerTestSupport

/// Gathers all results, each event once.
final class ResultCollector: Sendable {
    struct Entry: Sendable {
        let verdict: Verdict
        let worker: String?
        let outcome: ResultEvent.Outcome
    }

    private struct State {
        var seen: Set<String> = []
        var deliveries = 0
        var bodies: [String] = []
        var rejections: [ResultEvent] = []
        var entries: [Addressee: [Entry]] = [:]
        var problems: [String] = []
    }

    private let state = Mutex(State())
    private let queue = ResultQueue()

    func start(_ names: PipelineNames, broker: AMQPConfiguration, logger: Logger) async throws {
        try await queue.start(names, broker: broker, logger: logger) { [self] in take($0) }
    }

    func stop() async { await queue.stop() }

    /// An event that the broker delivers again, or got twice, has the same message id.
    private func take(_ delivery: AMQPDelivery) {
        state.withLock { state in
            state.deliveries += 1
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
    /// Events, and how often one came.
    var copies: (events: Int, deliveries: Int) { state.withLock { ($0.seen.count, $0.deliveries) } }
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
