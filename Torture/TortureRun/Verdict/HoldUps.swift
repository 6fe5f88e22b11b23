/// When services, or the ways to them, kept back for long what was sent: it comes in later, and then at once.
struct HoldUps {
    /// Milliseconds in which all of it has come in.
    static let comesIn: Int64 = 5_000
    /// What is over sooner keeps back next to nothing.
    private static let shortest: Int64 = 1_000
    /// For so long other outputs than the first may pause by themselves after a bad answer.
    private static let pause: Int64 = 60_000

    /// Without those that overlap, in order of their starts.
    private let times: [OutputKind: [ClosedRange<Int64>]]

    init(_ faults: [FaultRecord]) {
        var times: [OutputKind: [ClosedRange<Int64>]] = [:]
        for output in OutputKind.allCases {
            let all = faults.compactMap { Self.time(of: $0, at: output, faults) }.sorted {
                $0.lowerBound < $1.lowerBound
            }
            times[output] = all.reduce(into: []) { merged, time in
                if let last = merged.last, last.upperBound >= time.lowerBound {
                    merged[merged.count - 1] = last.lowerBound...max(last.upperBound, time.upperBound)
                } else {
                    merged.append(time)
                }
            }
        }
        self.times = times
    }

    private static func time(
        of record: FaultRecord, at output: OutputKind, _ faults: [FaultRecord]
    ) -> ClosedRange<Int64>? {
        guard record.fault.output == output || record.fault.output == nil && record.fault.holdsUpRequests else {
            return nil
        }
        var end = record.end
        switch record.fault {
        case .streamLimit(100...), .slowAnswers: return nil
        // It stands until there is another one.
        case .streamLimit: end = max(end, nextLimit(after: record, faults))
        case .service: end += pause
        default: break
        }
        return end - record.start < shortest ? nil : record.start...end + comesIn
    }

    private static func nextLimit(after record: FaultRecord, _ faults: [FaultRecord]) -> Int64 {
        let limits = faults.filter {
            switch $0.fault {
            case .streamLimit, .joinLate: $0.end > record.end
            default: false
            }
        }
        return limits.map(\.end).min() ?? faults.map(\.end).max() ?? record.end
    }

    /// Since when a service may have been keeping back what it gets at this time; nil: it gets what is sent.
    func start(_ output: OutputKind, at time: Int64) -> Int64? {
        times[output]?.first { $0.contains(time) }?.lowerBound
    }

    func overlap(_ output: OutputKind, from start: Int64, to end: Int64) -> Bool {
        times[output]?.contains { $0.lowerBound <= end && $0.upperBound >= start } == true
    }
}
