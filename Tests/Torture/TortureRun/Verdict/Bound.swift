/// A bound of an invariant, and the number that it bounds. The invariant cannot fail unless the bound is smaller.
struct Bound {
    let invariant: Invariant
    let value: Int
    let judged: Int
    let name: String

    init(_ invariant: Invariant, _ value: Int, of judged: Int, _ name: String) {
        self.invariant = invariant
        self.value = value
        self.judged = judged
        self.name = name
    }
}

/// The judge of bounds. In a run that is long enough, every bound must be smaller than the number that it bounds.
struct BoundJudge {
    /// The minimum time in which a run publishes ordinary jobs if its bounds must be judged, in milliseconds.
    private static let shortest: Int64 = 45_000

    private(set) var findings: [Finding] = []
    private(set) var unjudged: [Unjudged] = []

    init(_ bounds: [Bound], _ record: TortureRecord) {
        let times = record.jobs.filter { JobNumber.isOrdinary($0.key) }.values.map(\.published)
        let isShort = (times.max() ?? 0) - (times.min() ?? 0) < Self.shortest
        for bound in bounds where bound.value > 0 && bound.value >= bound.judged {
            let text = "the bound of \(bound.value) \(bound.name) is not below \(bound.judged)"
            if isShort {
                unjudged.append(Unjudged(bound.invariant, "\(text), because the run is short"))
            } else {
                findings.append(Finding(.notVacuous, nil, "\(bound.invariant): \(text)"))
            }
        }
    }
}
