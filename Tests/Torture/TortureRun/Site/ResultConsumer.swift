import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import Logging
import PushModel
import TestSupport
import WorkerTestSupport

/// A consumer that records all result events, including repeated ones.
final class ResultConsumer: Sendable {
    private struct Event: Decodable {
        struct Outcome: Decodable {
            let job: String
            let recipient: String
            let ref: String?
            let reason: String?
            let attempts: Int
            let redelivered: Bool?
            let at: String
        }

        struct Problem: Decodable {
            let problem: String
        }

        let kind: String
        let worker: String?
        /// The id of the rejected job, or `nil` if the event reports outcomes.
        let job: String?
        let errors: [Problem]?
        let outcomes: [Outcome]?
    }

    private let log: RunLog
    private let queue = ResultQueue()

    init(log: RunLog) { self.log = log }

    func start(_ names: PipelineNames, broker: AMQPConfiguration, logger: Logger) async throws {
        try await queue.start(names, broker: broker, logger: logger) { [self] in take($0) }
    }

    func stop() async { await queue.stop() }

    private func take(_ delivery: AMQPDelivery) {
        guard let messageID = delivery.properties.messageID else { return log.odd("an event without a message id") }
        do {
            let event = try JSONDecoder().decode(Event.self, from: Data(delivery.body))
            let (number, isRepeated) = log.event(messageID: messageID)
            let received = currentMilliseconds()
            guard let outcomes = event.outcomes else {
                guard event.kind == "job.rejected",
                    let job = event.job.flatMap({ JobPlan.number(in: $0) ?? log.job(madeUpID: $0) })
                else {
                    return log.odd("\(event.kind): \(String(decoding: delivery.body, as: UTF8.self))")
                }
                let isFollower = event.errors?.contains { $0.problem.contains(JobFlaw.takenIDProblem) } ?? false
                return log.add(
                    RejectionRecord(
                        job: isFollower ? JobNumber.follower(of: job) : job, received: received, isRepeated: isRepeated)
                )
            }
            log.update { $0.largestEvent = max($0.largestEvent, delivery.body.count) }
            log.add(
                outcomes.compactMap { outcome in
                    guard let recipient = RecipientID(address: outcome.recipient),
                        // The id may be the job's own id, the id of the job before it, or an id that a worker
                        // generated.
                        [JobPlan.id(recipient.job), JobPlan.id(recipient.job - 1)].contains(outcome.job)
                            || UUID(uuidString: outcome.job) != nil, outcome.ref.map(recipient.isCalled) ?? true
                    else {
                        log.odd("an outcome of \(outcome.recipient) in job \(outcome.job), ref \(outcome.ref ?? "-")")
                        return nil
                    }
                    return OutcomeRecord(
                        recipient: recipient, kind: event.kind, reason: outcome.reason, worker: event.worker ?? "",
                        attempts: outcome.attempts, isRedelivered: outcome.redelivered ?? false,
                        madeUpID: outcome.job.hasPrefix("torture-") ? nil : outcome.job,
                        at: Timestamp(rfc3339: outcome.at)?.milliseconds ?? 0, received: received, event: number,
                        isRepeated: isRepeated)
                })
        } catch {
            log.odd("an event that cannot be read: \(error): \(String(decoding: delivery.body, as: UTF8.self))")
        }
    }
}
