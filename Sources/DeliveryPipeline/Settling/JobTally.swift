import Contract

/// The number of a job's unsent recipients by result, for the log. The tally allocates no memory before the first such
/// recipient.
struct JobTally {
    enum Entry: Hashable {
        case outcome(OutcomeKind)
        /// The recipient waits for another attempt (`retried`), was held (`held`), or was requeued unsent (`requeue`).
        case retried, held, requeue

        fileprivate var place: Int {
            switch self {
            case .outcome(let kind): kind.place
            case .retried: OutcomeKind.allCases.count
            case .held: OutcomeKind.allCases.count + 1
            case .requeue: OutcomeKind.allCases.count + 2
            }
        }

        fileprivate var word: String {
            switch self {
            case .outcome(let kind): kind.rawValue
            case .retried: "retried"
            case .held: "held"
            case .requeue: "requeued"
            }
        }
    }

    private static let entries = OutcomeKind.allCases.map { Entry.outcome($0) } + [.retried, .held, .requeue]

    private var counts: [Int] = []
    /// The reason of the first problem, or `nil` if there is none.
    private(set) var reason: String?
    private(set) var hasProblem = false

    mutating func add(_ entry: Entry, reason: String?) {
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.entries.count) }
        counts[entry.place] += 1
        guard case .outcome(let kind) = entry, kind != .suppressed, !hasProblem else { return }
        hasProblem = true
        self.reason = reason ?? kind.rawValue
    }

    /// Returns the number of recipients with each result, beginning with the sent recipients.
    func counts(of recipients: Int) -> [(word: String, count: Int)] {
        let sent = max(0, recipients - counts.reduce(0, +))
        let others = zip(Self.entries, counts).filter { $1 > 0 }.map { ($0.word, $1) }
        return [(OutcomeKind.sent.rawValue, sent)] + others
    }
}
