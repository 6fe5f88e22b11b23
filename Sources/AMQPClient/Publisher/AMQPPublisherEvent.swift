/// An event of an ``AMQPPublisher``. Events arrive in order. Each publication is named in exactly one of `confirmed`,
/// `refused`, `returned` and `closed`.
public enum AMQPPublisherEvent: Sendable {
    /// The publisher has connected and declared its topology. It now writes publications.
    case connected
    /// The number of queues that each way of the topology's spread has in the broker. It follows `connected` and each
    /// call of `look`.
    case spread(queues: Int)
    /// The broker has accepted responsibility for these publications. They are on disk or replicated if the queue
    /// guarantees that. They are in the order of confirmation.
    case confirmed([UInt64])
    /// The publications that the next event refuses or returns although the broker may have them. An earlier copy was
    /// written to the wire and not answered.
    case mayBeTaken([UInt64])
    /// The broker could not accept these publications (`basic.nack`), for example because a full queue rejects them.
    /// They are not published again.
    case refused([UInt64])
    /// The broker permanently refuses this publication: it is mandatory and unroutable, its exchange is missing, or a
    /// permission is missing.
    case returned(AMQPReturn)
    /// No queue accepts this message, which was published with ``AMQPPublication/reportsUnroutable``. `confirmed`
    /// follows.
    case unroutable(UInt64)
    /// The broker is short of memory or disk. Nothing is written until `unblocked` or `disconnected`.
    case blocked(reason: String)
    case unblocked
    /// The connection was lost or could not be made. Another attempt follows, unless `closed` does. Unconfirmed
    /// publications will be published again, in order.
    case disconnected(AMQPError)
    /// The last event. It contains the publications without a verdict, and the error if `connectOnce` could not
    /// connect.
    case closed(unconfirmed: [UInt64], AMQPError?)
}
