/// A counter of the refusals on one connection. Too many refusals slow the connection down and later end it (Apple:
/// "Handling error responses from APNs").
struct RefusalWeight {
    private let limitBeforeSlowing: Int?
    private let limitBeforeGoAway: Int?
    /// The total weight of the counted refusals.
    private var sum = 0

    /// Creates a counter with the limits of ``SimulatorConfiguration``.
    init(beforeSlowing: Int?, beforeGoAway: Int?) {
        limitBeforeSlowing = beforeSlowing
        limitBeforeGoAway = beforeGoAway
    }

    /// Counts an answer, and returns which limits it reaches.
    mutating func add(_ answer: PlannedAnswer) -> (slowsDown: Bool, endsConnection: Bool) {
        guard (400..<500).contains(answer.status), answer.status != 410 else { return (false, false) }
        let before = sum
        sum += answer.reason == RejectionReason.badDeviceToken.rawValue ? 5 : 1
        func reaches(_ limit: Int?) -> Bool { limit.map { before < $0 && sum >= $0 } ?? false }
        return (reaches(limitBeforeSlowing), reaches(limitBeforeGoAway))
    }
}
