package import PushModel

/// The losses of the broker's connections that this worker has lived through, by queue. Each raised the broker's count of
/// deliveries of every job that the connection had, and none was a worker's death. A value: no clock, no I/O.
package struct SurvivedLosses {
    /// In milliseconds. What a lost connection had is delivered again within minutes, ahead of all else.
    package static let longestMemory: Int64 = 1_800_000
    /// More than the broker lets a message be delivered.
    private static let most = 20

    /// By the place of the queue, the earliest first.
    private var times = Array(repeating: [Timestamp](), count: JobQueue.all.count)

    package init() {}

    package mutating func add(_ queues: [JobQueue], now: Timestamp) {
        for queue in queues { times[queue.index] = (recent(queue, now) + [now]).suffix(Self.most) }
    }

    package func count(of queue: JobQueue, now: Timestamp) -> Int { recent(queue, now).count }

    private func recent(_ queue: JobQueue, _ now: Timestamp) -> [Timestamp] {
        times[queue.index].filter { abs(now.milliseconds - $0.milliseconds) <= Self.longestMemory }
    }
}
