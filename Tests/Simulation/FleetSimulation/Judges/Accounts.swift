import AMQPClient
import Foundation
package import PushModel

/// The account of every recipient of a history: published, accepted by the provider, reported.
package final class Accounts {
    /// An outcome in a result event.
    package struct Report {
        let kind: String
        let reason: String?
        let isRedelivered: Bool
        /// The time at which the event was published, in milliseconds since the start of the history.
        let time: Int64

        package init(_ kind: String, reason: String? = nil, isRedelivered: Bool = false, at time: Int64) {
            self.kind = kind
            self.reason = reason
            self.isRedelivered = isRedelivered
            self.time = time
        }
    }

    package struct Recipient {
        let lane: Lane
        /// The time from which the push may be sent, in milliseconds since the start of the history.
        let dueAt: Int64
        let isAtMostOnce: Bool
        /// The number of times that the job was published.
        package var publications = 1
        package var reports: [Report] = []

        package init(_ lane: Lane, dueAt: Int64, isAtMostOnce: Bool = false, reports: [Report] = []) {
            self.lane = lane
            self.dueAt = dueAt
            self.isAtMostOnce = isAtMostOnce
            self.reports = reports
        }
    }

    private struct Event: Decodable {
        struct Outcome: Decodable {
            let recipient: String
            let reason: String?
            let redelivered: Bool?
        }

        let kind: String
        let outcomes: [Outcome]?
        let job: String?
    }

    private let timeline: Timeline
    /// The message ids of the result events.
    private var events: Set<String> = []
    private(set) var recipients: [SimulatedToken: Recipient] = [:]
    private(set) var jobs = 0
    /// The recipients of confirmed jobs without an outcome.
    private(set) var open = 0
    /// The outcomes of recipients that were never published.
    private(set) var strangers: [String] = []
    private(set) var rejectedJobs: [String] = []

    init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// Records that the broker has confirmed a job.
    func published(_ job: SimulatedJob) {
        jobs += 1
        for token in job.tokens {
            if recipients[token] != nil {
                recipients[token]?.publications += 1
            } else {
                recipients[token] = Recipient(job.lane, dueAt: job.dueAt, isAtMostOnce: job.isAtMostOnce)
                open += 1
            }
        }
    }

    /// Returns the longest time that a rate limit alone needs for its tenant's pushes, in milliseconds.
    func millisecondsOfRates(_ tenants: [Tenant]) -> Int64 {
        var pushes: [Int: Int] = [:]
        for token in recipients.keys { pushes[token.app, default: 0] += 1 }
        return tenants.map { tenant in
            tenant.rate.map { Int64(pushes[tenant.number, default: 0] * 1_000 / $0) } ?? 0
        }.max() ?? 0
    }

    /// Reads a result event. Like a consumer, it ignores an event with the message id of an earlier one, which a worker
    /// published again because it had no confirm.
    func read(_ message: ModelMessage) {
        if let id = message.properties.messageID, !events.insert(id).inserted { return }
        guard let event = try? JSONDecoder().decode(Event.self, from: Data(message.body)) else {
            strangers.append("unreadable event \(message.routingKey)")
            return
        }
        guard let outcomes = event.outcomes else {
            rejectedJobs.append(event.job ?? "?")
            return
        }
        for outcome in outcomes {
            guard let token = SimulatedToken(Substring(outcome.recipient)) else {
                strangers.append(outcome.recipient)
                continue
            }
            let report = Report(
                event.kind, reason: outcome.reason, isRedelivered: outcome.redelivered == true,
                at: timeline.milliseconds)
            guard var known = recipients[token] else {
                strangers.append(outcome.recipient)
                continue
            }
            if known.reports.isEmpty { open -= 1 }
            known.reports.append(report)
            recipients[token] = known
        }
    }
}
