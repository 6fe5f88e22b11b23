/// Decoded input from the broker. Callers of ``BrokerLink`` use this type instead of the library's frames.
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
    /// The broker's answer to a method of this client.
    case answer(channel: UInt16, method: UInt32, queue: DeclaredQueue?)
    /// Input without an effect: a part of a message, a heartbeat, or an unexpected frame.
    case nothing
}
