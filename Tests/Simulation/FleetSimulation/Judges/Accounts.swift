import AMQPClient
import Foundation
package import PushModel

/// A record of all published recipients of a history and of their outcomes in result events.
package final class Accounts {
    /// An outcome in a result event.
    package struct Report {
        let kind: String
        let reason: String?
        let isRedelivered: Bool
        /// The time at which the event was published, in milliseconds since the start of the history.
        package let time: Int64

        package init(_ kind: String, reason: String? = nil, isRedelivered: Bool = false, at time: Int64) {
            self.kind = kind
            self.reason = reason
            self.isRedelivered = isRedelivered
            self.time = time
        }
    }

    package struct Recipient {
        package let lane: Lane
        /// The time from which the push may be sent, in milliseconds since the start of the history.
        let dueAt: Int64
        /// The time at which the job was published, in milliseconds since the start of the history.
        let publishedAt: Int64
        let isAtMostOnce: Bool
        /// The number of times that the broker confirmed the job.
        package var publications = 1
        package var reports: [Report] = []

        /// The time from ``dueAt`` to the first outcome, in milliseconds, or `nil` if there is no outcome.
        package var delay: Int64? { reports.first.map { $0.time - dueAt } }

        package init(
            _ lane: Lane, publishedAt: Int64, dueAt: Int64, isAtMostOnce: Bool = false, reports: [Report] = []
        ) {
            self.lane = lane
            self.publishedAt = publishedAt
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
    /// The message ids of the result events that were already read.
    private var events: Set<String> = []
    private(set) var recipients: [SimulatedToken: Recipient] = [:]
    private(set) var jobs = 0
    /// The number of recipients of confirmed jobs that have no outcome yet.
    private(set) var open = 0
    /// The recipients in result events that belong to no confirmed job, and descriptions of unreadable events.
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
                recipients[token] = Recipient(
                    job.lane, publishedAt: timeline.milliseconds, dueAt: job.dueAt, isAtMostOnce: job.isAtMostOnce)
                open += 1
            }
        }
    }

    /// Returns the time that the slowest tenant's pushes need at the tenant's rate limit, in milliseconds.
    func millisecondsOfRates(_ tenants: [Tenant]) -> Int64 {
        var pushes: [Int: Int] = [:]
        for token in recipients.keys { pushes[token.app, default: 0] += 1 }
        return tenants.map { tenant in
            tenant.rate.map { Int64(pushes[tenant.number, default: 0] * 1_000 / $0) } ?? 0
        }.max() ?? 0
    }

    /// Records the outcomes of a result event. Ignores an event whose message id was already read, as consumers must. A
    /// worker publishes an event again if it gets no confirm.
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
