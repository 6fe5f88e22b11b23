/// An event of an ``AMQPConsumer``. Events arrive in order.
package enum AMQPConsumerEvent: Sendable {
    /// The consumer has connected, declared its topology, and begun to consume. The names are the queues' real names,
    /// in the order of the consumer's list.
    case connected(queues: [String])
    /// A batch of deliveries from all queues, at most 256. Deliveries of one queue are in order.
    case deliveries([AMQPDelivery])
    /// The consumer has stopped after `stopConsuming`, and no delivery follows. Earlier deliveries can still be
    /// acknowledged.
    case stopped
    /// The connection was lost or could not be made. The consumer tries again, unless `closed` follows. The broker
    /// redelivers unacknowledged deliveries, to this consumer or another.
    case disconnected(AMQPError)
    /// The consumer has closed, and no event follows. The error is set if its thread could not start, if `connectOnce`
    /// could not connect, or if the broker may not have received the last acknowledgements.
    case closed(AMQPError?)
}
