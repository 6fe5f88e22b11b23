package import PushModel
import Store

/// The history of the last hour, as the status page and `/status.json` show it.
package struct HistoryStatus: Sendable, Hashable, Encodable {
    package enum Scope: String, Sendable, Hashable, Encodable {
        case fleet
        /// The history contains only this worker, because the table of workers could not be read.
        case worker
    }

    /// The values of one output for each interval. A value is `nil` if no worker ran during the interval.
    package struct Output: Sendable, Hashable, Encodable {
        package let output: String
        /// The number of sent pushes per second.
        package let sent: [Double?]
        package let retried: [Double?]
        package let refused: [Double?]
        /// The median answer time in milliseconds. It is also `nil` for an interval without answers.
        package let p50: [Int?]
        package let p99: [Int?]

        private enum CodingKeys: String, CodingKey {
            case output, sent, retried, refused
            case p50 = "p50_milliseconds"
            case p99 = "p99_milliseconds"
        }
    }

    package struct LaneHistory: Sendable, Hashable, Encodable {
        package let lane: String
        /// The average number of jobs that waited in workers, for each two-minute interval of the history.
        package let waiting: [Double?]
    }

    /// The maximum age of a reading of the table of workers, in seconds. If the reading is older, the charts show only
    /// this worker.
    private static let longestAge = 20
    package static let mostOutputs = 6

    package let scope: Scope
    /// The number of running workers whose counts are included.
    package let workers: Int
    /// The start of the first interval, in RFC 3339 format.
    package let from: String
    package let slotSeconds: Int
    /// The elapsed part of the last interval, in seconds.
    package let lastSlotSeconds: Int
    /// The start of the complete part of the history. Workers that have ended may be missing before it. The value is
    /// `nil` if this worker has run for an hour, or if the history contains only this worker.
    package let completeSince: String?
    /// The names and values of the outputs with pushes in the last hour, busiest first.
    package let outputs: [Output]
    /// The names of the outputs without pushes in the last hour.
    package let idleOutputs: [String]
    package let lanes: [LaneHistory]

    package let first: Timestamp
    let completeFrom: Timestamp?

    private enum CodingKeys: String, CodingKey {
        case scope, workers, from, slotSeconds, lastSlotSeconds, completeSince, outputs, idleOutputs, lanes
    }

    package init(_ facts: StatusFacts) {
        var sum: HistorySum
        if let fleet = facts.fleet.history, let age = facts.fleet.readSecondsAgo, age <= Self.longestAge {
            (scope, sum) = (.fleet, fleet)
        } else {
            (scope, sum) = (.worker, HistorySum(now: facts.now))
            if !facts.history.slots.isEmpty { sum.add(facts.history) }
        }
        workers = sum.workers
        first = Timestamp(seconds: Int64(sum.first * HistoryRing.slotSeconds))
        from = first.rfc3339
        slotSeconds = HistoryRing.slotSeconds
        lastSlotSeconds = sum.lastSeconds
        completeFrom = scope == .fleet && facts.startedAt > first ? facts.startedAt : nil
        completeSince = completeFrom?.rfc3339

        let work = sum.outputs.mapValues { $0.reduce(0, +) }
        let busy = work.filter { $0.value > 0 }.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
        outputs = busy.prefix(Self.mostOutputs).map { name, _ in Output(name, sum) }
        idleOutputs = work.filter { $0.value == 0 }.map(\.key).sorted()
        lanes = Lane.allCases.enumerated().map { place, lane in
            LaneHistory(
                lane: lane.rawValue, waiting: sum.waiting(lane: place).map { $0.map { rounded(rate(of: $0) / 1_000) } })
        }
    }

    package var isEmpty: Bool { lanes.allSatisfy { $0.waiting.allSatisfy { $0 == nil } } }
}

extension HistoryStatus.Output {
    fileprivate init(_ name: String, _ sum: HistorySum) {
        let counts = sum.counts(of: name)
        output = name
        sent = counts.map { $0.map { rounded(rate(of: $0.sent)) } }
        retried = counts.map { $0.map { rounded(rate(of: $0.retried)) } }
        refused = counts.map { $0.map { rounded(rate(of: $0.refused)) } }
        p50 = counts.map { $0?.quantile(0.5) }
        p99 = counts.map { $0?.quantile(0.99) }
    }
}

/// Returns the rate per second that corresponds to a count in one interval.
private func rate(of count: Int) -> Double { Double(count) / Double(HistoryRing.slotSeconds) }

/// Returns a number rounded to three decimals. Three decimals are needed, because one push in two minutes is 0.008 per
/// second.
private func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }
