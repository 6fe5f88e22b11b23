import Threading

/// How many bytes of messages may be held. A prefetch counts messages, and the broker has none that counts bytes.
///
/// The consumer takes, and whoever is done with a delivery releases. While the budget is used up, the consumer leaves
/// the rest in its socket: TCP makes the broker wait. So more than the budget is held by what comes in one piece only:
/// one message for each queue.
public final class AMQPByteBudget: Sendable {
    public let limit: Int
    private let taken = Atomic<Int>(0)

    public init(limit: Int) {
        self.limit = limit
    }

    public var held: Int { taken.load(ordering: .relaxed) }

    var isUsedUp: Bool { held >= limit }

    func take(_ delivery: AMQPDelivery) {
        _ = taken.wrappingAdd(delivery.size, ordering: .relaxed)
    }

    /// Once for each delivery, and before it is acknowledged, which wakes the consumer.
    public func release(_ delivery: AMQPDelivery) {
        _ = taken.wrappingSubtract(delivery.size, ordering: .relaxed)
    }
}

extension AMQPDelivery {
    /// Bytes it takes in memory, roughly.
    package var size: Int { body.count + properties.headers.memorySize }
}

extension AMQPFieldTable {
    /// An entry of two bytes on the wire takes dozens in memory.
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
