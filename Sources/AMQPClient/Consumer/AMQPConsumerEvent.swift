/// What happens to an ``AMQPConsumer``, in order.
public enum AMQPConsumerEvent: Sendable {
    /// Connected, declared and consuming. The queues' real names, in the order they were given.
    case connected(queues: [String])
    /// The consumer connected again, found exchanges or queues of its topology deleted, and declared them again without
    /// the topology's spread. `connected` follows.
    case declaredAgain
    /// All deliveries that had arrived, of all queues, at most 256; in order within each queue.
    case deliveries([AMQPDelivery])
    /// An optional queue is not in the broker, or not any more.
    case missing(queue: String)
    /// After `stopConsuming`: no delivery follows. Those handed out can still be acknowledged.
    case stopped
    /// The connection was lost or could not be made. Unless `closed` follows, another attempt does. Open deliveries
    /// will be delivered again, here or elsewhere.
    case disconnected(AMQPError)
    /// The last event. With an error when `connectOnce` could not connect, or when nobody knows whether the broker has got the
    /// last acknowledgements.
    case closed(AMQPError?)
}
