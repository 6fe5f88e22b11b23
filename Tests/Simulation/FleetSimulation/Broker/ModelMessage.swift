package import AMQPClient

/// A message in the modelled broker. It is a class because several owners refer to the same message: its queue, the
/// consumer that has it, and the dead-letter worker.
package final class ModelMessage {
    let exchange: String
    let routingKey: String
    let properties: AMQPProperties
    let body: [UInt8]
    /// The number of deliveries that ended without an acknowledgement.
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

    /// The message in the timeline: its headers and the beginning of its body.
    var summary: String {
        let headers = properties.headers.entries.filter { $0.key != "x-death" }.map { entry in
            "\(entry.key)=\(entry.value.integer.map(String.init) ?? entry.value.string ?? "\(entry.value)")"
        }
        return (headers + [String(decoding: body.prefix(200), as: UTF8.self)]).joined(separator: " ")
    }

    /// Returns the message that a queue dead-letters (rabbitmq.com, "Dead Letter Exchanges", effects on the message).
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
