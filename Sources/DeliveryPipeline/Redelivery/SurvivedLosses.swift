package import Contract
package import PushModel

/// The lost broker connections that this worker survived, by queue. Each loss raised the broker's delivery count of
/// every job on that connection, although no worker died. A value type without clock or I/O.
package struct SurvivedLosses {
    /// The time for which a loss counts, in milliseconds. The jobs of a lost connection are redelivered within minutes,
    /// before other jobs.
    package static let longestMemory: Int64 = 1_800_000
    /// The maximum number of losses that are remembered for a queue. It is not lower than the broker's delivery limit.
    private static let most = 20

    /// The times of the losses by the index of the queue, the earliest first.
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
