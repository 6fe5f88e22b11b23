import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import Logging
import TestSupport
import Foundations
import WorkerTestSupport

/// A collector of result events that records each event once.
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

    /// Records a delivery. An event that is redelivered or published twice keeps its message id, so it is recorded
    /// once.
    private func take(_ delivery: AMQPDelivery) {
        state.withLock { state in
            state.deliveries += 1
            guard let id = delivery.properties.messageID else { return state.problems.append("an event has no id") }
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
    /// The number of events, and the number of their deliveries.
    var copies: (events: Int, deliveries: Int) { state.withLock { ($0.seen.count, $0.deliveries) } }
    /// The number of recipients that have an outcome.
    var count: Int { state.withLock { $0.entries.count } }

    /// The number of outcomes, by verdict.
    var tally: [String: Int] {
        entries.values.flatMap { $0 }.reduce(into: [:]) { $0[$1.verdict.description, default: 0] += 1 }
    }

    /// Waits until this number of recipients have an outcome.
    func wait(for recipients: Int, within limit: Duration = .seconds(300)) async throws {
        try await eventually("\(recipients) recipients have an outcome; the tally is \(tally)", within: limit) {
            count >= recipients
        }
    }

    /// Returns the violations of the event schema, and events that have no id or can't be decoded.
    func schemaProblems() async throws -> [String] {
        let (bodies, problems) = state.withLock { ($0.bodies, $0.problems) }
        guard !bodies.isEmpty else { return problems }
        return problems
            + (try await SchemaValidator.problems(in: bodies, schema: "event.schema.json")).map {
                "\(bodies[$0]): \($1.joined(separator: "; "))"
            }
    }
}
