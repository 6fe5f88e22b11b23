/// The exchanges, queues and bindings that must exist. By default, each client declares them in this order when it
/// connects.
///
/// A declaration is idempotent: an object that exists with the same properties stays unchanged. If it has other
/// properties, the broker replies 406 PRECONDITION_FAILED. The error names the object and contains the broker's
/// comparison.
package struct AMQPTopology: Sendable, Hashable {
    /// The party that declares the topology.
    package enum Provision: Sendable, Hashable {
        /// Each client declares the topology when it connects.
        case declared
        /// An operator declares the topology. A client that connects checks the exchanges and queues, and fails while
        /// one is missing.
        ///
        /// The client can't check bindings, arguments, or names for which the user lacks a permission
        /// (``AMQPInspection/unseen``). If an unchecked queue is missing, consuming it fails. If an unchecked exchange
        /// is missing, publishing a message to it fails.
        ///
        /// - Parameter remedy: the advice at the end of the error that names the missing objects.
        case required(remedy: String)
    }

    package var provision = Provision.declared
    package var exchanges: [AMQPExchange]
    package var queues: [AMQPQueue]
    package var bindings: [AMQPBinding]

    package init(exchanges: [AMQPExchange] = [], queues: [AMQPQueue] = [], bindings: [AMQPBinding] = []) {
        self.exchanges = exchanges
        self.queues = queues
        self.bindings = bindings
    }
}
