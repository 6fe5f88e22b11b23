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
