/// A message to publish.
package struct AMQPPublication: Sendable {
    /// An identifier that the caller chooses. Events about the publication contain it, and the publisher does not
    /// interpret it.
    package let id: UInt64
    /// The name of the exchange. An empty name means the default exchange, which routes to the queue that is named by
    /// the routing key.
    package let exchange: String
    package let routingKey: String
    /// Whether the broker must return the message if no queue takes it.
    package let isMandatory: Bool
    /// Whether ``AMQPPublisherEvent/unroutable(_:)`` reports that no queue takes the message. Such a message counts as
    /// confirmed, because no consumer wants it. ``AMQPPublisher/publishAndWait(_:)`` throws an error for it instead.
    package let reportsUnroutable: Bool
    /// The properties. A publication without a delivery mode is sent as persistent.
    package private(set) var properties: AMQPProperties
    package let body: [UInt8]
    /// Whether an earlier copy was written to the wire and not confirmed, so that the broker may already have the
    /// message.
    package private(set) var isRepeated = false
    /// The name of a header that is set to true when the message is published again, or `nil` for no header. A message
    /// is published again if the connection or channel was lost before the broker's confirm. The broker may then have
    /// the message twice.
    package let repeatHeader: String?

    package init(
        id: UInt64, exchange: String, routingKey: String, isMandatory: Bool = false,
        reportsUnroutable: Bool = false,
        properties: AMQPProperties = AMQPProperties(), body: [UInt8], repeatHeader: String? = nil
    ) {
        self.id = id
        self.exchange = exchange
        self.routingKey = routingKey
        self.isMandatory = isMandatory
        self.reportsUnroutable = reportsUnroutable
        self.properties = properties
        self.body = body
        self.repeatHeader = repeatHeader
    }

    /// Whether the broker returns the message if no queue takes it.
    var comesBack: Bool { isMandatory || reportsUnroutable }

    /// The copy to publish after the connection or channel was lost before the broker's confirm.
    package var repeated: AMQPPublication {
        var copy = self
        copy.isRepeated = true
        if let repeatHeader { copy.properties.headers[repeatHeader] = true }
        return copy
    }
}
