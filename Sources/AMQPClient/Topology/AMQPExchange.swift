package struct AMQPExchange: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case direct, fanout, topic, headers
    }

    package let name: String
    package let kind: Kind
    package let isDurable: Bool
    /// Whether the broker deletes the exchange when its last binding is removed.
    package let isAutoDelete: Bool
    /// The arguments of the exchange, such as `alternate-exchange`.
    package let arguments: AMQPFieldTable

    package init(
        name: String, kind: Kind, isDurable: Bool = true, isAutoDelete: Bool = false, arguments: AMQPFieldTable = [:]
    ) {
        self.name = name
        self.kind = kind
        self.isDurable = isDurable
        self.isAutoDelete = isAutoDelete
        self.arguments = arguments
    }
}
