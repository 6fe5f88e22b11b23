import AMQPClient
import CommandSupport
import Contract
import DeliveryPipeline
import Foundation
import Logging
import MartletConfiguration
import Observability
import PushModel

/// A consumer that prints the outcomes of a job's recipients. Its queue is declared before the job is published, and is
/// deleted when the connection closes.
struct OutcomePrinter {
    private let awaited: AwaitedOutcomes
    private let deliveries: Deliveries

    /// Declares the queue and starts to consume it.
    ///
    /// - Throws: an error if the broker can't be reached or refuses the connection.
    init(
        _ awaited: AwaitedOutcomes, of job: Job, _ names: PipelineNames, _ broker: AMQPConfiguration, logger: Logger
    ) async throws {
        self.awaited = awaited
        let tail = AMQPQueue(
            name: "\(names.prefix).tail.\(UUID().uuidString.lowercased())", isDurable: false, isExclusive: true,
            isAutoDelete: true)
        // A dropped job that may have crashed a worker is rejected without being decoded. The routing key then has
        // `unknown` instead of the app.
        let keys = ["\(job.output).*.\(job.app)", "job.rejected.\(job.app)", "job.rejected.unknown"]
        deliveries = try await Deliveries(
            of: tail.name,
            topology: AMQPTopology(
                queues: [tail],
                bindings: keys.map { AMQPBinding(queue: tail.name, exchange: names.results, routingKey: $0) }),
            broker: broker, prefetch: 100, endsWithConnection: false, logger: logger)
    }

    /// Prints a line for each outcome, until all recipients have one or the time limit is reached.
    ///
    /// - Parameter mayBeCopy: whether workers may drop the job as a duplicate. No event is published for a duplicate.
    /// - Returns: whether all pushes were accepted.
    func print(within limit: Duration, mayBeCopy: Bool) async throws -> Bool {
        let end = ContinuousClock.now + limit
        var (awaited, wasLost) = (awaited, false)
        for try await delivery in deliveries.stream {
            if !wasLost, deliveries.wasLost {
                wasLost = true
                printError("the connection to the broker was lost: outcomes may have been missed")
            }
            if let delivery {
                let words = awaited.take(
                    delivery.body, traceparent: delivery.properties.headers[JobHeader.traceparent]?.string)
                deliveries.release(delivery)
                deliveries.acknowledge(delivery)
                for word in words {
                    switch word {
                    case .outcome(let line): CommandSupport.print(line)
                    case .fault(let fault): printError(fault)
                    }
                }
                flushOutput()
                if let result = awaited.result { return result }
            }
            if ContinuousClock.now > end { break }
        }
        printError(
            "after \(limit.components.seconds) s, outcomes are missing for \(Phrase.figure(awaited.openCount)) of "
                + Phrase.count(awaited.count, "recipient") + "; 'martlet why' searches for the cause"
                + (wasLost ? "; they may have been published while the connection was lost" : "")
                + (mayBeCopy ? "; workers publish no outcomes for duplicates of an earlier job" : ""))
        return false
    }

    func close() async { await deliveries.close() }
}
