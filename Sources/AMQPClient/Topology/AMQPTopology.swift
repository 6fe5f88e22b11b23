/// Exchanges, queues and bindings that must exist, declared in this order after every connect.
///
/// Declaring is idempotent: what exists with the same properties stays as it is. What exists with other properties
/// is a 406 PRECONDITION_FAILED; the error names the object and carries the broker's comparison.
public struct AMQPTopology: Sendable, Hashable {
    /// How it comes to be.
    public enum Provision: Sendable, Hashable {
        /// Whoever connects declares it.
        case declared
        /// An operator declares the topology. A client that connects checks the exchanges and queues, and fails while
        /// one is missing. It can check neither bindings nor arguments, nor names without permission
        /// (``AMQPInspection/unseen``). Such a missing queue is found when it is consumed, and such a missing exchange
        /// when a message is published.
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

    var withoutSpread: AMQPTopology {
        var topology = self
        topology.spread = nil
        return topology
    }
}
