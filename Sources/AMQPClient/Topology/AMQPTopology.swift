/// Exchanges, queues and bindings that must exist, declared in this order after every connect.
///
/// Declaring is idempotent: what exists with the same properties stays as it is. What exists with other properties
/// is a 406 PRECONDITION_FAILED; the error names the object and carries the broker's comparison.
public struct AMQPTopology: Sendable, Hashable {
    /// How it comes to be.
    public enum Provision: Sendable, Hashable {
        /// Whoever connects declares it.
        case declared
        /// An operator makes it. A client that connects looks for exchanges and queues, and has no connection while one is
        /// missing. It can see neither bindings and arguments, nor what its user may not look for (``AMQPInspection/unseen``):
        /// a missing queue then shows when it is consumed, a missing exchange when a message is published to it.
        /// - Parameter remedy: ends the error that names what is missing.
        case required(remedy: String)
    }

    public var provision = Provision.declared
    public var exchanges: [AMQPExchange]
    public var queues: [AMQPQueue]
    public var bindings: [AMQPBinding]
    /// Comes last.
    public var spread: AMQPSpread?

    public init(
        exchanges: [AMQPExchange] = [], queues: [AMQPQueue] = [], bindings: [AMQPBinding] = [],
        spread: AMQPSpread? = nil
    ) {
        self.spread = spread
        self.exchanges = exchanges
        self.queues = queues
        self.bindings = bindings
    }
}
