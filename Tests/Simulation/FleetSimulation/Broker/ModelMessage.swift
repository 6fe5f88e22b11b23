package import AMQPClient

/// A message in the modelled broker. The type is a class, because a queue, a consumer and the dead-letter worker may
/// refer to the same message.
package final class ModelMessage {
    let exchange: String
    let routingKey: String
    let properties: AMQPProperties
    let body: [UInt8]
    /// The number of times that the message returned to its queue because a connection was lost.
    var returns = 0
    /// The time at which the message entered its queue, in milliseconds since the start of the history.
    var enteredAt: Int64 = 0

    init(exchange: String, routingKey: String, properties: AMQPProperties, body: [UInt8]) {
        self.exchange = exchange
        self.routingKey = routingKey
        self.properties = properties
        self.body = body
    }

    /// Creates the message of a publication.
    package convenience init(_ publication: AMQPPublication) {
        self.init(
            exchange: publication.exchange, routingKey: publication.routingKey, properties: publication.properties,
            body: publication.body)
    }

    /// The text for the timeline, with the message's headers and the first 200 bytes of its body.
    var summary: String {
        let headers = properties.headers.entries.filter { $0.key != "x-death" }.map { entry in
            "\(entry.key)=\(entry.value.integer.map(String.init) ?? entry.value.string ?? "\(entry.value)")"
        }
        return (headers + [String(decoding: body.prefix(200), as: UTF8.self)]).joined(separator: " ")
    }

    /// Returns the dead letter that a queue makes from this message (rabbitmq.com, "Dead Letter Exchanges", effects on
    /// the message).
    func dead(in queue: String, to exchange: String, because reason: String) -> ModelMessage {
        var properties = properties
        let death = AMQPFieldValue.table(["reason": .string(reason), "queue": .string(queue), "count": 1])
        var deaths: [AMQPFieldValue] = [death]
        if case .array(let earlier)? = properties.headers["x-death"] { deaths += earlier }
        properties.headers["x-death"] = .array(deaths)
        if returns > 0 { properties.headers["x-delivery-count"] = .int64(Int64(returns)) }
        return ModelMessage(exchange: exchange, routingKey: routingKey, properties: properties, body: body)
    }

    func delivery(_ tag: AMQPDeliveryTag) -> AMQPDelivery {
        var properties = properties
        if returns > 0 { properties.headers["x-delivery-count"] = .int64(Int64(returns)) }
        return AMQPDelivery(
            tag: tag, isRedelivered: returns > 0, exchange: exchange, routingKey: routingKey, properties: properties,
            body: body)
    }
}
