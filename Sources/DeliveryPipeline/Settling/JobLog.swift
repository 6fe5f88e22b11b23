import PushModel

/// Which jobs get a line in the log when they are done.
public enum JobLog: Sendable, Hashable {
    case none
    /// Those of which something was neither sent nor left out as dead; a line a minute for each app and reason.
    case problems
    /// This part of them, by their ids: all chunks of a job, and all attempts, or none.
    case sample(Double)
    case all

    /// `none`, `problems`, `sample:0.01` or `all`.
    public init?(_ text: String) {
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

    /// Whether a job is told, of which there are problems or not.
    package func tells(_ job: String, hasProblem: Bool) -> Bool {
        switch self {
        case .none: false
        case .problems: hasProblem
        case .sample(let share): StableHash.part(of: job) < share
        case .all: true
        }
    }
}
