/// What happens to an ``AMQPPublisher``, in order. Every publication gets one of `confirmed`, `refused` and `returned`,
/// or is named by `closed`.
public enum AMQPPublisherEvent: Sendable {
    /// Connected and declared; publications are being written.
    case connected
    /// How many queues each way of the topology's spread has in the broker: after `connected`, and after each `look`.
    case spread(queues: Int)
    /// The broker has taken responsibility: on disk or replicated where the queue promises that. In the order of
    /// confirmation.
    case confirmed([UInt64])
    /// Messages that the next event refuses or returns although the broker may have them. An earlier copy was written
    /// to the wire and not answered.
    case mayBeTaken([UInt64])
    /// The broker could not take them (`basic.nack`), as with a full queue that rejects. Not published again.
    case refused([UInt64])
    /// The broker will never take it as it is: mandatory and unroutable, missing exchange, no permission.
    case returned(AMQPReturn)
    /// No queue takes this message, which was published with ``AMQPPublication/reportsUnroutable``. `confirmed` follows.
    case unroutable(UInt64)
    /// The broker is short of memory or disk; nothing is written until `unblocked`, or `disconnected`.
    case blocked(reason: String)
    case unblocked
    /// The connection was lost or could not be made. Unless `closed` follows, another attempt does, and what is not
    /// confirmed will be published again, in order.
    case disconnected(AMQPError)
    /// The last event: the publications without a verdict, and the error when `connectOnce` could not connect.
    case closed(unconfirmed: [UInt64], AMQPError?)
}
