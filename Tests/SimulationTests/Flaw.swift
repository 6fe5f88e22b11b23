import FleetSimulation
import PushModel

/// A flaw in a finished history with two recipients.
enum Flaw {
    case none
    case losesOutcome
    case repeatsOutcome
    case repeatsPush
    case inventsOutcome
    case rejectsJob
    case reportsUnsentAsSent
    case killsLivingToken
    case forgetsMark
    case isLate
    case isEarly
    case isRestless

    private static let good = SimulatedToken(app: 0, job: 0, recipient: 0, fate: .good)
    private static let dead = SimulatedToken(app: 0, job: 1, recipient: 0, fate: .dead)

    /// The violations that the judge finds in a history with this flaw.
    var violations: [Verdict.Violation] {
        var judge = Judge(
            recipients: [
                Self.good: .init(.normal, publishedAt: 1_000, dueAt: 1_000, reports: [.init("sent", at: 1_050)]),
                Self.dead: .init(
                    .urgent, publishedAt: 1_000, dueAt: 1_000, reports: [.init("unregistered", at: 1_060)]),
            ], accepted: [Self.good: [1_020]], marked: [Self.dead.text],
            tenants: [Tenant(number: 0, credential: "c1")], faults: [])
        switch self {
        case .none: break
        case .losesOutcome: judge.recipients[Self.good]?.reports = []
        case .repeatsOutcome: judge.recipients[Self.good]?.reports.append(.init("sent", at: 1_070))
        case .repeatsPush: judge.accepted[Self.good] = [1_020, 1_030]
        case .inventsOutcome: judge.strangers = ["ab"]
        case .rejectsJob: judge.rejectedJobs = ["job-0"]
        case .reportsUnsentAsSent: judge.accepted = [:]
        case .killsLivingToken:
            judge.recipients[Self.good]?.reports = [.init("unregistered", at: 1_050)]
            judge.marked.insert(Self.good.text)
        case .forgetsMark: judge.marked = []
        case .isRestless: judge.moves = ["job-1": 9]
        case .isEarly: judge.accepted[Self.good] = [999]
        case .isLate: judge.recipients[Self.good]?.reports = [.init("sent", at: 11_001)]
        }
        return judge.verdict().violations
    }
}
