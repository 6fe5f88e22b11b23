import AMQPClient
import DeliveryPipeline
import Foundation
import Logging
import PushModel
import Synchronization

/// A consumer of the results as an application would be: a durable queue bound to everything, acknowledged by hand.
/// It counts what comes, as often as it comes.
final class ResultConsumer: Sendable {
    private struct Event: Decodable {
        struct Outcome: Decodable {
            let job: String
            let recipient: String
            let reason: String?
            let attempts: Int
            let redelivered: Bool?
            let at: String
        }

        let kind: String
        let worker: String?
        /// Of a job that can't be used.
        let job: String?
        let outcomes: [Outcome]?
    }

    private let log: RunLog
    private let consumer = Mutex<AMQPConsumer?>(nil)

    init(log: RunLog) { self.log = log }

    static func queue(_ names: PipelineNames) -> String { "\(names.prefix).torture" }

    func start(_ names: PipelineNames, broker: AMQPConfiguration, logger: Logger) async throws {
        let queue = AMQPQueue(name: Self.queue(names), arguments: ["x-queue-type": "quorum"])
        let topology = AMQPTopology(
            exchanges: names.topology(delays: []).exchanges.filter { $0.name == names.results }, queues: [queue],
            bindings: [AMQPBinding(queue: queue.name, exchange: names.results, routingKey: "#")])
        let consumer = try AMQPConsumer(
            configuration: broker, topology: topology, queues: [AMQPConsumedQueue(name: queue.name, prefetch: 200)],
            logger: logger
        ) { [self] event in
            guard case .deliveries(let deliveries) = event else { return }
            for delivery in deliveries { take(delivery) }
            self.consumer.withLock { $0 }?.acknowledge(deliveries.map { AMQPAcknowledgement($0.tag) })
        }
        self.consumer.withLock { $0 = consumer }
        try await consumer.connectOnce()
    }

    func stop() async { await consumer.withLock { $0.take() }?.close() }

    private func take(_ delivery: AMQPDelivery) {
        guard let messageID = delivery.properties.messageID else { return log.odd("an event without a message id") }
        do {
            let event = try JSONDecoder().decode(Event.self, from: Data(delivery.body))
            let (number, isRepeated) = log.event(messageID: messageID)
            let received = currentMilliseconds()
            guard let outcomes = event.outcomes else {
                guard event.kind == "job.rejected", let job = event.job.flatMap(JobPlan.number) else {
                    return log.odd("\(event.kind): \(String(decoding: delivery.body, as: UTF8.self))")
                }
                return log.add(RejectionRecord(job: job, received: received, isRepeated: isRepeated))
            }
            log.add(
                outcomes.compactMap { outcome in
                    guard let recipient = RecipientID(token: outcome.recipient),
                        outcome.job == JobPlan.id(recipient.job) || UUID(uuidString: outcome.job) != nil
                    else {
                        log.odd("an outcome of \(outcome.recipient) in job \(outcome.job)")
                        return nil
                    }
                    return OutcomeRecord(
                        recipient: recipient, kind: event.kind, reason: outcome.reason, worker: event.worker ?? "",
                        attempts: outcome.attempts, isRedelivered: outcome.redelivered ?? false,
                        at: Timestamp(rfc3339: outcome.at)?.milliseconds ?? 0, received: received, event: number,
                        isRepeated: isRepeated)
                })
        } catch {
            log.odd("an event that can't be read: \(error): \(String(decoding: delivery.body, as: UTF8.self))")
        }
    }
}
