public struct AMQPExchange: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case direct, fanout, topic, headers
        /// Gives each message to one of its queues, whatever its key.
        case random = "x-random"

        /// Without which the broker does not know it.
        var plugin: String? { self == .random ? "rabbitmq_random_exchange" : nil }
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
