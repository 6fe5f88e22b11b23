import PushModel

/// The rule that selects the finished jobs to log.
package enum JobLog: Sendable, Hashable {
    case none
    /// Jobs with at least one outcome other than `sent` and `suppressed`. At most one line per minute is logged for
    /// each app and reason.
    case problems
    /// A fraction of all jobs, from 0 to 1, selected by id. All chunks and attempts of a selected job are logged.
    case sample(Double)
    case all

    /// Parses `none`, `problems`, `all`, or a sample such as `sample:0.01`. Returns `nil` for other strings.
    package init?(_ text: String) {
        switch text {
        case "none": self = .none
        case "problems": self = .problems
        case "all": self = .all
        case _ where text.hasPrefix("sample:"):
            guard let share = Double(text.dropFirst("sample:".count)), (0...1).contains(share) else { return nil }
            self = .sample(share)
        default: return nil
        }
    }

    /// Returns whether a job is logged.
    package func tells(_ job: String, hasProblem: Bool) -> Bool {
        switch self {
        case .none: false
        case .problems: hasProblem
        case .sample(let share): StableHash.part(of: job) < share
        case .all: true
        }
    }
}
