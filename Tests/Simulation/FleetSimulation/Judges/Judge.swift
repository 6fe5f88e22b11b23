import PushModel

/// The judges of a finished history.
package struct Judge {
    /// The account of each recipient of a job that the broker has confirmed.
    package var recipients: [SimulatedToken: Accounts.Recipient]
    /// The reported recipients that were never published.
    package var strangers: [String]
    package var rejectedJobs: [String]
    /// The times at which the provider accepted a push, in milliseconds since the start of the history, by its token.
    package var accepted: [SimulatedToken: [Int64]]
    /// The tokens that are marked dead.
    package var marked: Set<String>
    private let tenants: [Tenant]
    private let faults: [Fault]
    /// The largest error of a worker's clock, in milliseconds.
    private let clockError: Int64

    package init(
        recipients: [SimulatedToken: Accounts.Recipient], strangers: [String] = [], rejectedJobs: [String] = [],
        accepted: [SimulatedToken: [Int64]], marked: Set<String>, tenants: [Tenant], faults: [Fault],
        clockError: Int64 = 0
    ) {
        self.recipients = recipients
        self.strangers = strangers
        self.rejectedJobs = rejectedJobs
        self.accepted = accepted
        self.marked = marked
        self.tenants = tenants
        self.faults = faults
        self.clockError = clockError
    }

    /// Creates the judge of a fleet that has settled everything.
    init(_ accounts: Accounts, _ fleet: Fleet, _ faults: [Fault]) {
        self.init(
            recipients: accounts.recipients, strangers: accounts.strangers, rejectedJobs: accounts.rejectedJobs,
            accepted: fleet.provider.accepted, marked: fleet.database.deadTokens, tenants: fleet.tenants,
            faults: faults, clockError: fleet.workers.map { abs($0.clockError) }.max() ?? 0)
    }

    /// A push may be accepted twice only if a fault could have hidden the first answer from its worker.
    private var mayRepeat: Bool { faults.contains(where: \.mayRepeatPushes) }

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
                let accepted = accepted[token]?.count ?? 0
                for report in recipient.reports {
                    switch report.kind {
                    case "sent" where accepted == 0: return "reported as sent, but never accepted"
                    case "unregistered" where token.fate != .dead: return "reported as unregistered"
                    case "rejected" where token.fate == .good: return "rejected: \(report.reason ?? "")"
                    case "failed" where accepted > 0 && recipient.reports.count == 1 && !mayRepeat:
                        return "accepted, but reported as failed: \(report.reason ?? "")"
                    default: continue
                    }
                }
                return nil
            })
        verdict.add(
            "P2 no push is accepted twice",
            examples { token, recipient in
                let count = accepted[token]?.count ?? 0
                let allowed = recipient.isAtMostOnce || !mayRepeat ? 1 : Int.max
                guard count > allowed else { return nil }
                return "accepted \(count) times" + (recipient.isAtMostOnce ? ", at_most_once" : "")
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
        return verdict
    }

    /// Returns how late a push of a healthy tenant was, or `nil` if it was in time or if a fault explains the delay.
    private func late(_ token: SimulatedToken, _ recipient: Accounts.Recipient) -> String? {
        let tenant = tenants[token.app]
        guard token.fate == .good, tenant.isHealthy(recipient.lane), let first = recipient.reports.first else {
            return nil
        }
        let delay = first.time - recipient.dueAt
        // A worker whose clock is slow sends a scheduled push late.
        guard delay > 10_000 + clockError else { return nil }
        let explained = faults.contains { fault in
            fault.delays(tenant) && fault.start <= first.time
                && fault.end + fault.aftermath >= recipient.dueAt
        }
        return explained ? nil : "\(recipient.lane.rawValue), \(first.kind) after \(Double(delay) / 1_000) s"
    }
}
