/// What the broker sent, as far as this client cares. The library's frames end here.
enum Inbound {
    case delivery(channel: UInt16, number: UInt64, isRedelivered: Bool, InboundMessage)
    case returned(AMQPError.Reply, InboundMessage)
    case acknowledged(number: UInt64, multiple: Bool)
    case refused(number: UInt64, multiple: Bool)
    case cancelled(channel: UInt16)
    case cancelledByBroker(channel: UInt16)
    case blocked(reason: String)
    case unblocked
    case channelClosed(channel: UInt16, AMQPError.Reply, causedByPublish: Bool)
    case connectionClosed(AMQPError.Reply)
    /// To a method of ours that waits for one.
    case answer(channel: UInt16, method: UInt32, queue: DeclaredQueue?)
    /// A part of a message, a heartbeat, or something nobody asked for.
    case nothing
}
