package struct AMQPQueue: Sendable, Hashable {
    /// The queue's name. If the broker names the queue, this is the name by which bindings and consumers of the same
    /// connection refer to it.
    package let name: String
    /// Whether the broker generates the real name, which then differs for each connection.
    package let isServerNamed: Bool
    package let isDurable: Bool
    /// Whether only this connection may use the queue. The broker deletes the queue when the connection ends.
    package let isExclusive: Bool
    /// Whether the broker deletes the queue when its last consumer ends.
    package let isAutoDelete: Bool
    /// The arguments of the queue, such as `x-queue-type`, `x-dead-letter-exchange` or `x-message-ttl`.
    package let arguments: AMQPFieldTable

    package init(
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
