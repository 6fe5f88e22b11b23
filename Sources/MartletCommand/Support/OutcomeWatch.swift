import AMQPClient
import DeliveryPipeline
import Foundation
import Logging
import MartletService
import PushModel

/// Prints what becomes of a job's recipients. It listens from before the job is published, with a queue of its own.
struct OutcomeWatch {
    private let job: Job
    private let deliveries: Deliveries

    /// - Throws: when the broker can't be reached or refuses.
    init(_ job: Job, _ names: PipelineNames, _ broker: AMQPConfiguration, logger: Logger) async throws {
        self.job = job
        let tail = AMQPQueue(
            name: "\(names.prefix).tail.\(UUID().uuidString.lowercased())", isDurable: false, isExclusive: true,
            isAutoDelete: true)
        let keys = ["\(job.output).*.\(job.app)", "job.rejected.\(job.app)"]
        deliveries = try await Deliveries(
            of: tail.name,
            topology: AMQPTopology(
                queues: [tail],
                bindings: keys.map { AMQPBinding(queue: tail.name, exchange: names.results, routingKey: $0) }),
            broker: broker, prefetch: 100, endsWithConnection: false, logger: logger)
    }

    /// Prints a line for each outcome, until all recipients have one or the time is over.
    /// - Returns: whether all were sent.
    func print(within limit: Duration) async throws -> Bool {
        let end = ContinuousClock.now + limit
        var (open, sent) = (job.isBroadcast ? 1 : job.recipients.count, 0)
        let all = open
        for try await delivery in deliveries.stream {
            if let delivery {
                let event = try JSONDecoder().decode(Event.self, from: Data(delivery.body))
                deliveries.release(delivery)
                deliveries.acknowledge(delivery)
                if event.job == job.id {
                    for error in event.errors ?? [] { printError("\(error.field): \(error.problem)") }
                    return false
                }
                for outcome in event.outcomes ?? [] where outcome.job == job.id {
                    MartletCommand.print(outcome.line(of: event.kind))
                    open -= 1
                    if event.kind == "sent" { sent += 1 }
                }
                flushOutput()
                if open <= 0 { return sent == all }
            }
            if ContinuousClock.now > end { break }
        }
        printError(
            "\(open) of \(all) recipients have no outcome after \(limit.components.seconds) s: 'martlet why' looks for the cause"
        )
        return false
    }

    func close() async { await deliveries.close() }

    private struct Event: Decodable {
        struct Fault: Decodable {
            let field, problem: String
        }
        let kind: String
        let job: String?
        let outcomes: [Outcome]?
        let errors: [Fault]?
    }

    private struct Outcome: Decodable {
        let job, recipient: String
        let ref, reason, detail: String?
        let status: Int?

        func line(of kind: String) -> String {
            let facts = [ref ?? recipient, kind, status.map { String($0) }, reason].compactMap { $0 }
            return facts.joined(separator: " ") + (detail.map { ": \($0)" } ?? "")
        }
    }
}
