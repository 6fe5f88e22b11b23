/// The judge of the workers' memory. It must stay within its limit, and it must not grow in a worker that runs for a
/// long time.
enum MemoryJudge {
    private struct Life: Hashable {
        let worker: Int
        let incarnation: Int
    }

    /// The minimum time for which a worker must run before its growth is judged, in milliseconds.
    private static let longLife: Int64 = 240_000
    /// The additional memory that an allocator may keep, in kilobytes.
    private static let slackKilobytes = 32 * 1_024

    static func findings(_ samples: [MemorySample], limitMegabytes: Int) -> [Finding] {
        let lives = Dictionary(grouping: samples) { Life(worker: $0.worker, incarnation: $0.incarnation) }
        return lives.sorted { ($0.key.worker, $0.key.incarnation) < ($1.key.worker, $1.key.incarnation) }
            .flatMap { life, samples in
                let name = "worker \(life.worker), start \(life.incarnation)"
                return exceeds(samples, limitMegabytes).map { Finding(.memoryFlat, nil, "\(name): \($0)") }
                    + grows(samples).map { Finding(.memoryFlat, nil, "\(name): \($0)") }
            }
    }

    /// Returns whether a worker ran long enough to judge the growth of its memory.
    static func canJudgeGrowth(_ samples: [MemorySample]) -> Bool {
        Dictionary(grouping: samples) { Life(worker: $0.worker, incarnation: $0.incarnation) }.values.contains {
            let times = $0.map(\.at)
            return (times.max() ?? 0) - (times.min() ?? 0) >= longLife
        }
    }

    private static func exceeds(_ samples: [MemorySample], _ limitMegabytes: Int) -> [String] {
        guard let peak = samples.map(\.kilobytes).max(), peak > limitMegabytes * 1_024 else { return [] }
        return ["\(peak / 1_024) MB, at most \(limitMegabytes)"]
    }

    /// Returns the problem if memory grows. Compares the median of the last quarter with the median of the second
    /// quarter. By the second quarter, all features have been used.
    private static func grows(_ samples: [MemorySample]) -> [String] {
        let samples = samples.sorted { $0.at < $1.at }
        guard let first = samples.first, let last = samples.last, last.at - first.at >= longLife else { return [] }
        let early = median(samples[(samples.count / 4)..<(samples.count / 2)])
        let late = median(samples[(samples.count * 3 / 4)...])
        guard late > early * 5 / 4 + slackKilobytes else { return [] }
        return ["from \(early / 1_024) to \(late / 1_024) MB in \((last.at - first.at) / 1_000) s"]
    }

    private static func median(_ samples: ArraySlice<MemorySample>) -> Int {
        let sorted = samples.map(\.kilobytes).sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
