import Foundation
import PushModel

/// The judge of a finished history. It has one check for each promise.
package struct Judge {
    /// The recipients of confirmed jobs, with their outcomes.
    package var recipients: [SimulatedToken: Accounts.Recipient]
    /// See ``Accounts/strangers``.
    package var strangers: [String]
    package var rejectedJobs: [String]
    /// The times at which the provider accepted pushes, in milliseconds since the start of the history, by token.
    package var accepted: [SimulatedToken: [Int64]]
    /// The tokens that are marked dead.
    package var marked: Set<String>
    /// The number of times that workers published a job or a part of it, by the job's id.
    package var moves: [String: Int]
    private let tenants: [Tenant]
    private let faults: [Fault]
    /// The largest error of a worker's clock, in milliseconds.
    private let clockError: Int64

    package init(
        recipients: [SimulatedToken: Accounts.Recipient], strangers: [String] = [], rejectedJobs: [String] = [],
        accepted: [SimulatedToken: [Int64]], marked: Set<String>, moves: [String: Int] = [:],
        tenants: [Tenant], faults: [Fault], clockError: Int64 = 0
    ) {
        self.recipients = recipients
        self.strangers = strangers
        self.rejectedJobs = rejectedJobs
        self.accepted = accepted
        self.marked = marked
        self.moves = moves
        self.tenants = tenants
        self.faults = faults
        self.clockError = clockError
    }

    /// Creates the judge of a fleet that has settled all jobs.
    init(_ accounts: Accounts, _ fleet: Fleet, _ faults: [Fault]) {
        self.init(
            recipients: accounts.recipients, strangers: accounts.strangers, rejectedJobs: accounts.rejectedJobs,
            accepted: fleet.provider.accepted, marked: fleet.database.deadTokens,
            moves: fleet.broker.moves, tenants: fleet.tenants, faults: faults,
            clockError: fleet.workers.map { abs($0.clockError) }.max() ?? 0)
    }

    /// The time around a fault in which the fault may hide answers from a worker, in milliseconds. A worker that dies
    /// has not reported the pushes of its last seconds, and a worker may wait half a minute for an answer.
    private static let around: Int64 = 60_000

    /// Returns whether a push that was accepted at a time may be sent again, because a fault may have hidden the answer
    /// from its worker.
    private func mayRepeat(_ acceptance: Int64) -> Bool {
        faults.contains {
            $0.mayRepeatPushes && ($0.start - Self.around...$0.end + Self.around).contains(acceptance)
        }
    }

    package func verdict() -> Verdict {
        var verdict = Verdict()
        let all = recipients.sorted { ($0.key.job, $0.key.recipient) < ($1.key.job, $1.key.recipient) }
        func examples(_ text: (SimulatedToken, Accounts.Recipient) -> String?) -> [String] {
            all.compactMap { token, recipient in
                text(token, recipient).map {
                    "job-\(token.job) of app \(token.app), recipient \(token.recipient): \($0)"
                }
            }
        }
        verdict.add("P1 nothing is lost", examples { $1.reports.isEmpty ? "no outcome" : nil })
        verdict.add("P1 no job is rejected", rejectedJobs)
        verdict.add("P2 only published pushes are reported", strangers)
        verdict.add(
            "P2 one outcome for each recipient",
            examples { _, recipient in
                let plain = recipient.reports.count { !$0.isRedelivered }
                guard plain > recipient.publications else { return nil }
                return "\(plain) outcomes without \"redelivered\""
            })
        verdict.add(
            "P3 outcomes are true",
            examples { token, recipient in
                let times = accepted[token] ?? []
                let accepted = times.count
                for report in recipient.reports {
                    switch report.kind {
                    case "sent" where accepted == 0: return "reported as sent, but never accepted"
                    case "unregistered" where token.fate != .dead: return "reported as unregistered"
                    case "rejected" where token.fate == .good: return "rejected: \(report.reason ?? "")"
                    case "failed"
                    where accepted > 0 && recipient.reports.count == 1 && !times.contains(where: mayRepeat):
                        return "accepted, but reported as failed: \(report.reason ?? "")"
                    default: continue
                    }
                }
                return nil
            })
        verdict.add(
            "P2 no push is accepted twice",
            examples { token, recipient in
                let times = accepted[token] ?? []
                guard times.count > 1, recipient.isAtMostOnce || !times.dropLast().allSatisfy(mayRepeat) else {
                    return nil
                }
                return "accepted \(times.count) times" + (recipient.isAtMostOnce ? ", at_most_once" : "")
            })
        verdict.add(
            "no push is early",
            examples { token, recipient in
                guard let first = accepted[token]?.first, first < recipient.dueAt - clockError else { return nil }
                return "accepted \(recipient.dueAt - first) ms before send_at"
            })
        verdict.add(
            "P1 dead tokens are marked",
            examples { token, recipient in
                guard recipient.reports.contains(where: { $0.kind == "unregistered" }) else { return nil }
                return marked.contains(token.text) ? nil : "unregistered, but not marked"
            })
        verdict.add("P5 healthy apps do not wait", examples(late))
        verdict.add("P11 waiting jobs are not published again and again", restless)
        return verdict
    }

    /// The jobs with one recipient that workers published too often. The delays must grow, so the number of
    /// publications may grow only with the logarithm of the job's age. Larger jobs are left out,
    /// because their recipients may wait separately.
    private var restless: [String] {
        let sizes = Dictionary(grouping: recipients.keys, by: \.job)
        return recipients.compactMap { token, recipient in
            guard sizes[token.job]?.count == 1, recipient.publications == 1, let end = recipient.reports.first else {
                return nil
            }
            let age = end.time - recipient.publishedAt
            let moves = moves["job-\(token.job)"] ?? 0
            guard Double(moves) > 8 + 4 * log2(1 + Double(age) / 5_000) else { return nil }
            return "job-\(token.job) of app \(token.app) was published \(moves) times in \(age / 1_000) s"
        }
    }

    /// Returns a description of a late push, or `nil` if the push was in time. Also returns `nil` if a fault, the token
    /// or the tenant's settings explain the delay.
    private func late(_ token: SimulatedToken, _ recipient: Accounts.Recipient) -> String? {
        let tenant = tenants[token.app]
        guard token.fate == .good, tenant.isHealthy(recipient.lane), let first = recipient.reports.first else {
            return nil
        }
        let delay = first.time - recipient.dueAt
        // A worker whose clock is behind sends scheduled pushes late.
        guard delay > 10_000 + clockError else { return nil }
        let explained = faults.contains { fault in
            fault.delays(tenant) && fault.start <= first.time
                && fault.end + fault.aftermath >= recipient.dueAt
        }
        return explained ? nil : "\(recipient.lane.rawValue), \(first.kind) after \(Double(delay) / 1_000) s"
    }
}
