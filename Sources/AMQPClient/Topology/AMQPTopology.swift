/// Exchanges, queues and bindings that must exist, declared in this order after every connect.
///
/// Declaring is idempotent: what exists with the same properties stays as it is. What exists with other properties
/// is a 406 PRECONDITION_FAILED; the error names the object and carries the broker's comparison.
public struct AMQPTopology: Sendable, Hashable {
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
