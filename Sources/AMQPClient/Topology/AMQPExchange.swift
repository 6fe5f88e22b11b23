public struct AMQPExchange: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case direct, fanout, topic, headers
        /// An exchange that routes each message to one of its queues at random and ignores the routing key.
        case random = "x-random"

        /// The plugin that the broker needs for this type, or `nil` for built-in types.
        var plugin: String? { self == .random ? "rabbitmq_random_exchange" : nil }
    }

    public let name: String
    public let kind: Kind
    public let isDurable: Bool
    /// Whether the broker deletes the exchange when its last binding is removed.
    public let isAutoDelete: Bool
    /// The arguments of the exchange, such as `alternate-exchange`.
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
