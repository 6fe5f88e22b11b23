import Foundations

/// A limit on the total size of a consumer's unprocessed messages. RabbitMQ's prefetch limits only the number of
/// messages.
///
/// The consumer reserves bytes for each delivery, and its caller releases them after processing the delivery. While the
/// budget is used up, the consumer stops reading its socket, and TCP makes the broker wait. The reserved bytes can
/// exceed the budget for two reasons. First, the message that uses up the budget may be larger than the remaining
/// budget. Second, a limited amount of data is read after each `AMQPConfiguration.longestPause`.
package final class AMQPByteBudget: Sendable {
    package let limit: Int
    private let taken = Atomic<Int>(0)

    package init(limit: Int) {
        self.limit = limit
    }

    package var held: Int { taken.load(ordering: .relaxed) }

    var isUsedUp: Bool { held >= limit }

    func take(_ delivery: AMQPDelivery) {
        _ = taken.wrappingAdd(delivery.size, ordering: .relaxed)
    }

    /// Releases a delivery's bytes. Call this once for each delivery and before acknowledging it, because the
    /// acknowledgement wakes the consumer.
    package func release(_ delivery: AMQPDelivery) {
        _ = taken.wrappingSubtract(delivery.size, ordering: .relaxed)
    }
}

extension AMQPDelivery {
    /// The approximate size of the delivery in memory, in bytes.
    package var size: Int { body.count + properties.headers.memorySize }
}

extension AMQPFieldTable {
    /// The approximate size in memory, in bytes. An entry of two bytes on the wire takes dozens of bytes in memory.
    fileprivate var memorySize: Int {
        entries.reduce(0) { $0 + MemoryLayout<Entry>.stride + $1.key.utf8.count + $1.value.memorySize }
    }
}

extension AMQPFieldValue {
    fileprivate var memorySize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .array(let values): values.reduce(0) { $0 + MemoryLayout<Self>.stride + $1.memorySize }
        case .table(let table): table.memorySize
        default: 0
        }
    }
}
