/// The periods in which services, or the links to them, held back requests for a long time. Held-back requests arrive
/// later, all at once.
struct HoldUps {
    /// The time within which all held-back requests arrive after a fault, in milliseconds.
    static let comesIn: Int64 = 5_000
    /// The minimum length of a period, in milliseconds. Shorter faults hold back so few requests that they are ignored.
    private static let shortest: Int64 = 1_000
    /// The maximum pause of outputs other than APNs after a bad answer, in milliseconds.
    private static let pause: Int64 = 60_000

    /// The periods for each output, in milliseconds since 1970. Overlapping periods are merged, and the periods are
    /// ordered by start.
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
        // The stream limit applies until the next change.
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

    /// Returns the start of the period that includes the given time, or `nil` if no period includes it.
    func start(_ output: OutputKind, at time: Int64) -> Int64? {
        times[output]?.first { $0.contains(time) }?.lowerBound
    }

    func overlap(_ output: OutputKind, from start: Int64, to end: Int64) -> Bool {
        times[output]?.contains { $0.lowerBound <= end && $0.upperBound >= start } == true
    }
}
