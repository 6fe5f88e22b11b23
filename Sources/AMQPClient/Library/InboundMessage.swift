struct InboundMessage {
    let exchange: String
    let routingKey: String
    var properties = AMQPProperties()
    /// What of the properties could not be read.
    var problem: String?
    var body: [UInt8] = []
}
