package struct AMQPBinding: Sendable, Hashable {
    package let queue: String
    package let exchange: String
    package let routingKey: String
    package let arguments: AMQPFieldTable

    package init(queue: String, exchange: String, routingKey: String, arguments: AMQPFieldTable = [:]) {
        self.queue = queue
        self.exchange = exchange
        self.routingKey = routingKey
        self.arguments = arguments
    }
}
