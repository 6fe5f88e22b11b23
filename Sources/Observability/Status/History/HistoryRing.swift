package import PushModel

/// The last hour of one worker. It has counts for each two-minute interval of the wall clock in which the worker ran.
package struct HistoryRing: Sendable, Hashable {
    package static let slotSeconds = 120
    /// The number of intervals in an hour.
    package static let size = 30

    /// The intervals in which the worker ran, oldest first. The number of an interval is its time in seconds since
    /// 1970, divided by ``slotSeconds``.
    package internal(set) var slots: [Int] = []
    /// The time that the counts of the newest interval cover, in seconds. This time starts at the last reading before
    /// the interval, or at the start of the interval if there was no earlier reading. It ends at the last reading.
    package internal(set) var seconds = 0
    /// The total waiting time of jobs in the worker, in job-milliseconds, by interval and then by lane. The values are
    /// plain numbers instead of structures, so that a worker can quickly add up the rings of the whole fleet.
    package var waiting: [Int] = []
    /// The counts of each output, by interval and then by field of ``HistoryCounts``.
    package var outputs: [String: [Int]] = [:]

    package static let lanes = Lane.allCases.count

    package init() {}

    package static func slot(of time: Timestamp) -> Int { Int(time.seconds) / slotSeconds }

    /// Returns the counts of an output for each interval.
    package func counts(of output: String) -> [HistoryCounts] {
        let all = outputs[output] ?? Array(repeating: 0, count: slots.count * HistoryCounts.fields)
        return slots.indices.map {
            HistoryCounts(all[$0 * HistoryCounts.fields..<($0 + 1) * HistoryCounts.fields])
        }
    }

    /// Returns the total waiting time of a lane's jobs for each interval, in job-milliseconds.
    package func waiting(in lane: Lane) -> [Int] {
        let place = Lane.allCases.firstIndex(of: lane) ?? 0
        return slots.indices.map { waiting[$0 * Self.lanes + place] }
    }

    /// Returns a copy of the ring without the intervals before the given interval.
    package func suffix(since slot: Int) -> Self {
        var ring = self
        ring.removeFirst(slots.count { $0 < slot })
        return ring
    }

    private mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        slots.removeFirst(count)
        waiting.removeFirst(count * Self.lanes)
        for name in outputs.keys { outputs[name]?.removeFirst(count * HistoryCounts.fields) }
    }

    private mutating func removeLast(_ count: Int) {
        guard count > 0 else { return }
        slots.removeLast(count)
        waiting.removeLast(count * Self.lanes)
        for name in outputs.keys { outputs[name]?.removeLast(count * HistoryCounts.fields) }
    }

    /// Advances the ring to the given time. Begins a new interval if necessary, and drops intervals that are older than
    /// an hour.
    ///
    /// - Returns: whether a new interval has begun.
    mutating func advance(to now: Timestamp) -> Bool {
        let slot = Self.slot(of: now)
        // Later intervals may exist because the clock was set back.
        removeLast(slots.count { $0 > slot })
        removeFirst(slots.count { $0 <= slot - Self.size })
        guard slots.last != slot else { return false }
        slots.append(slot)
        waiting += Array(repeating: 0, count: Self.lanes)
        for name in outputs.keys { outputs[name]? += Array(repeating: 0, count: HistoryCounts.fields) }
        return true
    }

    /// Adds counts to the newest interval. The waiting times are in job-milliseconds, in the order of the lanes.
    package mutating func add(waiting more: [Int], outputs new: [String: HistoryCounts]) {
        guard !slots.isEmpty else { return }
        for (lane, count) in more.prefix(Self.lanes).enumerated() {
            waiting[waiting.count - Self.lanes + lane] += count
        }
        for (name, counts) in new {
            var all = outputs[name] ?? Array(repeating: 0, count: slots.count * HistoryCounts.fields)
            for (field, count) in counts.all.enumerated() { all[all.count - HistoryCounts.fields + field] += count }
            outputs[name] = all
        }
    }
}

/// A recorder that fills a ``HistoryRing`` from counters. A value type without clock or I/O.
package struct HistoryRecorder: Sendable {
    /// The maximum time between two readings that is counted, in milliseconds. A longer time means that the process was
    /// suspended.
    private static let longestStep: Int64 = 10_000

    package private(set) var ring = HistoryRing()
    private var last: (reading: HistoryReading, at: Timestamp)?
    /// The time from the last reading before the newest interval to the start of the interval, in milliseconds.
    private var lead: Int64 = 0

    package init() {}

    /// Adds the counts since the last call. They belong to the interval that contains the given time.
    ///
    /// - Parameter waiting: the number of jobs that wait now, in the order of the lanes.
    package mutating func beat(_ reading: HistoryReading, waiting: [Int], at now: Timestamp) {
        let position = now.milliseconds % Int64(HistoryRing.slotSeconds * 1_000)
        if ring.advance(to: now) {
            let step = last.map { now.milliseconds - $0.at.milliseconds } ?? position
            lead = min(max(0, step - position), Self.longestStep)
        }
        ring.seconds = Int((position + lead + 500) / 1_000)
        defer { last = (reading, now) }
        guard let last else { return ring.add(waiting: [], outputs: reading.outputs.mapValues { _ in .init() }) }
        let step = Int(min(max(0, now.milliseconds - last.at.milliseconds), Self.longestStep))
        ring.add(
            waiting: waiting.map { $0 * step },
            outputs: Dictionary(
                uniqueKeysWithValues: reading.outputs.map { name, counts in
                    (name, counts.since(last.reading.outputs[name] ?? .init()))
                }))
    }
}
