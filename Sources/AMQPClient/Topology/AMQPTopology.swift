/// Exchanges, queues and bindings that must exist, declared in this order after every connect.
///
/// Declaring is idempotent: what exists with the same properties stays as it is. What exists with other properties
/// is a 406 PRECONDITION_FAILED; the error names the object and carries the broker's comparison.
public struct AMQPTopology: Sendable, Hashable {
    public var exchanges: [AMQPExchange]
    public var queues: [AMQPQueue]
    public var bindings: [AMQPBinding]

    public init(exchanges: [AMQPExchange] = [], queues: [AMQPQueue] = [], bindings: [AMQPBinding] = []) {
        self.exchanges = exchanges
        self.queues = queues
        self.bindings = bindings
    }
}

public struct AMQPExchange: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case direct, fanout, topic, headers
    }

    public let name: String
    public let kind: Kind
    public let isDurable: Bool
    /// Deleted by the broker when its last binding goes.
    public let isAutoDelete: Bool
    /// Such as `alternate-exchange`.
    public let arguments: AMQPFieldTable

    public init(
        name: String, kind: Kind, isDurable: Bool = true, isAutoDelete: Bool = false, arguments: AMQPFieldTable = [:]
    ) {
        self.name = name
        self.kind = kind
        self.isDurable = isDurable
        self.isAutoDelete = isAutoDelete
        self.arguments = arguments
    }
}

public struct AMQPQueue: Sendable, Hashable {
    /// The queue's name; for a queue that the broker names, the name under which bindings and consumers of the same
    /// connection refer to it.
    public let name: String
    /// The broker makes up the real name, anew for every connection.
    public let isServerNamed: Bool
    public let isDurable: Bool
    /// Only this connection may use it, and it goes when the connection goes.
    public let isExclusive: Bool
    /// Deleted by the broker when its last consumer goes.
    public let isAutoDelete: Bool
    /// Such as `x-queue-type`, `x-dead-letter-exchange`, `x-message-ttl`.
    public let arguments: AMQPFieldTable

    public init(
        name: String, isServerNamed: Bool = false, isDurable: Bool = true, isExclusive: Bool = false,
        isAutoDelete: Bool = false, arguments: AMQPFieldTable = [:]
    ) {
        self.name = name
        self.isServerNamed = isServerNamed
        self.isDurable = isDurable
        self.isExclusive = isExclusive
        self.isAutoDelete = isAutoDelete
        self.arguments = arguments
    }
}

public struct AMQPBinding: Sendable, Hashable {
    public let queue: String
    public let exchange: String
    public let routingKey: String
    public let arguments: AMQPFieldTable

    public init(queue: String, exchange: String, routingKey: String, arguments: AMQPFieldTable = [:]) {
        self.queue = queue
        self.exchange = exchange
        self.routingKey = routingKey
        self.arguments = arguments
    }
}
