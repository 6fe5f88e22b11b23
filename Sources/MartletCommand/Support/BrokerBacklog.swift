import AMQPClient
import Contract
import DeliveryPipeline
import MartletConfiguration
import Observability
import PushModel
import Foundations

/// The numbers of messages that wait in the broker's queues. Reading these numbers changes nothing in the broker.
struct BrokerBacklog {
    /// The time limit for connecting to one host. It is short because an operator waits for the result.
    private static let patience = Duration.seconds(5)
    /// The interval between two readings. It is long because each reading opens a connection, which the broker logs.
    private static let interval = Duration.seconds(10)

    private let words: String

    private init(_ source: ConfigurationSource) async throws {
        let names = try source.names()
        let topology = names.topology(delays: try source.pipeline().retry.delays)
        var broker = try source.broker()
        broker.connectTimeout = min(broker.connectTimeout, Self.patience)
        let found = try await AMQPInspection.look(at: AMQPTopology(queues: topology.queues), on: broker).queues
        func figure(_ name: String, _ queues: [String]) -> String {
            let counts = queues.compactMap { found[$0]?.messages }
            // If one queue can't be read, the sum is unknown.
            return "\(name) \(counts.count == queues.count ? Phrase.figure(counts.reduce(0, +)) : "unknown")"
        }
        let lanes = Lane.allCases.map { lane in
            figure(lane.rawValue, JobQueue.all.filter { $0.lane == lane }.map { names.queue(of: $0) })
        }
        let jobs = names.consumedQueues + [names.dead]
        let others = [
            figure("suspects", [names.queue(of: JobQueue.suspects), names.dropped]),
            figure("delayed", topology.queues.map(\.name).filter { !jobs.contains($0) }),
            figure("dead", [names.dead]),
        ]
        words = (lanes + others).joined(separator: ", ")
    }

    /// Returns the numbers as one line, or the reason why they are unknown.
    static func text(_ source: ConfigurationSource) async -> String {
        do {
            return "waiting in the broker: \(try await BrokerBacklog(source).words)"
        } catch {
            return "waiting in the broker: unknown: \(error)"
        }
    }

    /// Starts a task that reads the numbers repeatedly until it is cancelled, and passes each result to `report`. The
    /// caller never waits for the broker.
    static func follow(_ source: ConfigurationSource, _ report: @escaping @Sendable (String) -> Void) -> Task<
        Void, Never
    > {
        Task {
            repeat { report(await text(source)) } while (try? await Task.sleep(for: interval)) != nil
        }
    }
}
