package import PushModel
package import Store

/// The sum of the histories of several workers, by intervals of the wall clock. The workers' clocks may differ by a few
/// seconds.
package struct HistorySum: Sendable, Hashable {
    /// The minimum elapsed part of the current interval for the interval to be included, in seconds.
    private static let shortestSlot = 30

    /// The number of the first interval. The sum has ``HistoryRing/size`` intervals.
    package let first: Int
    /// The elapsed part of the last interval, in seconds.
    package let lastSeconds: Int
    /// The number of running workers whose history is included.
    package private(set) var workers = 0
    /// Whether any worker has recorded counts in an interval, for each interval.
    package private(set) var isKnown = Array(repeating: false, count: HistoryRing.size)
    /// The total waiting time of jobs, in job-milliseconds, by interval and then by lane, as in ``HistoryRing``.
    private(set) var waiting = Array(repeating: 0, count: HistoryRing.size * HistoryRing.lanes)
    private(set) var outputs: [String: [Int]] = [:]

    package init(now: Timestamp) {
        let elapsed = Int(now.seconds) % HistoryRing.slotSeconds
        let isPartShown = elapsed >= Self.shortestSlot
        lastSeconds = isPartShown ? elapsed : HistoryRing.slotSeconds
        first = HistoryRing.slot(of: now) - (isPartShown ? 0 : 1) - HistoryRing.size + 1
    }

    /// Adds the history of one worker. The counts of an incomplete last interval are scaled to a whole interval.
    ///
    /// - Parameter hasEnded: whether the worker has ended. It then counts as idle for the rest of its last interval.
    package mutating func add(_ ring: HistoryRing, hasEnded: Bool = false) {
        if !hasEnded { workers += 1 }
        let places = ring.slots.map { $0 - first }
        for place in places where isKnown.indices.contains(place) { isKnown[place] = true }
        var lastFactor = 1.0
        if lastSeconds < HistoryRing.slotSeconds {
            let isRunning = !hasEnded && places.last == HistoryRing.size - 1
            lastFactor = Double(HistoryRing.slotSeconds) / Double(max(1, isRunning ? ring.seconds : lastSeconds))
        }
        Self.add(ring.waiting, to: &waiting, places, fields: HistoryRing.lanes, lastFactor)
        for (name, counts) in ring.outputs {
            var sums = outputs.removeValue(forKey: name) ?? []
            if sums.isEmpty { sums = Array(repeating: 0, count: HistoryRing.size * HistoryCounts.fields) }
            Self.add(counts, to: &sums, places, fields: HistoryCounts.fields, lastFactor)
            outputs[name] = sums
        }
    }

    private static func add(
        _ counts: [Int], to sums: inout [Int], _ places: [Int], fields: Int, _ lastFactor: Double
    ) {
        for (row, place) in places.enumerated() where place >= 0 && place < HistoryRing.size {
            let (from, to) = (row * fields, place * fields)
            if place == HistoryRing.size - 1, lastFactor != 1 {
                for field in 0..<fields {
                    sums[to + field] += Int((Double(counts[from + field]) * lastFactor).rounded())
                }
            } else {
                for field in 0..<fields { sums[to + field] += counts[from + field] }
            }
        }
    }

    /// Returns the counts of an output for each interval, or `nil` for an interval in which no worker has recorded
    /// counts.
    package func counts(of output: String) -> [HistoryCounts?] {
        isKnown.indices.map { place in
            guard isKnown[place] else { return nil }
            guard let all = outputs[output] else { return HistoryCounts() }
            return HistoryCounts(all[place * HistoryCounts.fields..<(place + 1) * HistoryCounts.fields])
        }
    }

    /// Returns the total waiting time of a lane's jobs for each interval, in job-milliseconds. The lane is identified
    /// by its index.
    package func waiting(lane: Int) -> [Int?] {
        isKnown.indices.map { isKnown[$0] ? waiting[$0 * HistoryRing.lanes + lane] : nil }
    }
}

/// The history of the fleet. It is updated with each reading of the table of workers. Workers whose rows were
/// deleted since this worker started still count, so that a rolling restart leaves no gap. A value type without clock
/// or I/O.
package struct FleetHistory: Sendable {
    private static let mostEnded = 200

    /// The encoded histories in the last reading, by the id of the worker.
    private var texts: [String: String] = [:]
    private var ended: [String: HistoryRing] = [:]

    package init() {}

    /// Updates the history with a reading of the table of workers, and returns the sum of all workers' histories.
    package mutating func update(_ members: [FleetMember], now: Timestamp) -> HistorySum {
        var sum = HistorySum(now: now)
        let present = Set(members.map(\.id))
        for (id, text) in texts where !present.contains(id) { ended[id] = HistoryRing(text: text) }
        ended = ended.filter { !present.contains($0.key) && $0.value.slots.last.map { $0 >= sum.first } == true }
        if ended.count > Self.mostEnded {
            func newest(_ ring: HistoryRing) -> Int { ring.slots.last ?? 0 }
            let kept = ended.sorted { newest($0.value) > newest($1.value) }.prefix(Self.mostEnded)
            ended = Dictionary(kept.map { ($0.key, $0.value) }) { first, _ in first }
        }
        texts = [:]
        for member in members where member.silentSeconds < HistoryRing.size * HistoryRing.slotSeconds {
            guard let text = member.report?.history, let ring = HistoryRing(text: text) else { continue }
            texts[member.id] = text
            sum.add(ring, hasEnded: member.isSilent)
        }
        for ring in ended.values { sum.add(ring, hasEnded: true) }
        return sum
    }
}
