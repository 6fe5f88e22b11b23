package import Contract

/// A set of queues, by their indices. A value type without clock or I/O.
package struct QueueSet: Equatable {
    /// The maximum number of queues. Each queue has one bit.
    package static let most = UInt64.bitWidth

    private var bits: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { bits == 0 }

    package func contains(_ queue: JobQueue) -> Bool { bits & 1 << UInt64(queue.index) != 0 }

    package mutating func insert(_ queue: JobQueue) { bits |= 1 << UInt64(queue.index) }

    package mutating func remove(_ queue: JobQueue) { bits &= ~(1 << UInt64(queue.index)) }

    /// The queues of the set, in the order of their indices.
    package var queues: [JobQueue] {
        var (rest, queues) = (bits, [JobQueue]())
        while rest != 0 {
            queues.append(JobQueue.all[rest.trailingZeroBitCount])
            rest &= rest - 1
        }
        return queues
    }
}
