/// An event of an ``AMQPPublisher``. Events arrive in order. Each publication of ``AMQPPublisher/publish(_:)`` is named
/// in exactly one of `confirmed`, `refused`, `returned` and `closed`.
package enum AMQPPublisherEvent: Sendable {
    /// The publisher has connected and declared its topology. It now writes publications.
    case connected
    /// The broker has accepted responsibility for these publications. They are on disk or replicated if the queue
    /// guarantees that. The ids are in the order of confirmation.
    case confirmed([UInt64])
    /// The broker may have these publications, although the next event reports them as refused or returned. An earlier
    /// copy of each was written to the wire and not confirmed.
    case mayBeTaken([UInt64])
    /// The broker could not accept these publications (`basic.nack`), for example because a full queue rejects them.
    /// The publisher does not publish them again.
    case refused([UInt64])
    /// This publication can't be delivered: it is mandatory and unroutable, its exchange or a permission is missing,
    /// the broker refuses one of its properties, or AMQP can't carry it.
    case returned(AMQPReturn)
    /// No queue accepts this message, which was published with ``AMQPPublication/reportsUnroutable``. `confirmed`
    /// follows.
    case unroutable(UInt64)
    /// The broker is short of memory or disk space. The publisher writes nothing until `unblocked` or `disconnected`.
    case blocked(reason: String)
    case unblocked
    /// The connection was lost or could not be made. The publisher tries again, unless `closed` follows. Unconfirmed
    /// publications will be published again, in order.
    case disconnected(AMQPError)
    /// The publisher has closed, and no event follows. `unconfirmed` contains the publications without a result. The
    /// error is set if `connectOnce` could not connect, or if the publisher's thread could not start.
    case closed(unconfirmed: [UInt64], AMQPError?)
}
