struct InboundMessage {
    let exchange: String
    let routingKey: String
    var properties = AMQPProperties()
    /// A description of the properties that could not be read, or `nil` if all were readable.
    var problem: String?
    var body: [UInt8] = []
}
