import PushModel

/// The number of requests that services received in each second. Seconds are numbered since 1970.
struct RequestCount {
    private var seconds: [Int64: [OutputKind: Int]] = [:]

    /// Counts all requests except those that a GOAWAY declared as unprocessed. Workers send these again immediately.
    init(_ jobs: [[History]], isUrgentCounted: Bool) {
        for histories in jobs where isUrgentCounted || histories[0].job.lane != .urgent {
            for history in histories {
                let disowned = history.sightings.count { $0.what == .disowned }
                for sighting in history.sightings.filter({ $0.what == .arrived }).dropFirst(disowned) {
                    seconds[sighting.at / 1_000, default: [:]][histories[0].job.output, default: 0] += 1
                }
            }
        }
    }

    var last: Int64? { seconds.keys.max() }

    subscript(second: Int64) -> [OutputKind: Int] { seconds[second] ?? [:] }

    func all(in range: Range<Int64>) -> Int { range.reduce(0) { $0 + self[$1].values.reduce(0, +) } }
}
