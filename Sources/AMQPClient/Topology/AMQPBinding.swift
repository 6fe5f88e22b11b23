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
