/// Too many refusals slow a connection down, and end it (Apple: "Handling error responses from APNs").
struct RefusalWeight {
    private let limitBeforeSlowing: Int?
    private let limitBeforeGoAway: Int?
    /// What refusals so far weigh.
    private var sum = 0

    /// - Parameters: as in ``SimulatorConfiguration``.
    init(beforeSlowing: Int?, beforeGoAway: Int?) {
        limitBeforeSlowing = beforeSlowing
        limitBeforeGoAway = beforeGoAway
    }

    /// Takes in an answer, and tells which limits were reached by it.
    mutating func add(_ answer: PlannedAnswer) -> (slowsDown: Bool, endsConnection: Bool) {
        guard (400..<500).contains(answer.status), answer.status != 410 else { return (false, false) }
        let before = sum
        sum += answer.reason == RejectionReason.badDeviceToken.rawValue ? 5 : 1
        func reaches(_ limit: Int?) -> Bool { limit.map { before < $0 && sum >= $0 } ?? false }
        return (reaches(limitBeforeSlowing), reaches(limitBeforeGoAway))
    }
}
