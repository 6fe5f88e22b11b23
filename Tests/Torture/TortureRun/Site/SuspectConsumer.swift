import AMQPClient
import Contract
import DeliveryPipeline
import Logging
import TestSupport
import WorkerTestSupport

/// A consumer that records every job that a worker moves to the suspects queue.
final class SuspectConsumer: Sendable {
    private let log: RunLog
    private let queue = ResultQueue()

    init(log: RunLog) { self.log = log }

    func start(_ names: PipelineNames, broker: AMQPConfiguration, logger: Logger) async throws {
        try await queue.start(
            "\(names.prefix).suspected", of: names.moved, key: "suspects", names, broker: broker, logger: logger
        ) { [log] delivery in
            log.update {
                $0.suspects.append(
                    SuspectRecord(
                        job: JobPlan.number(in: String(decoding: delivery.body, as: UTF8.self)),
                        received: currentMilliseconds()))
            }
        }
    }

    func stop() async { await queue.stop() }
}
