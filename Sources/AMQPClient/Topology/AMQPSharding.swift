/// The sharding of an exchange's messages. Each routing key leads to several queues (shards), so that several queue
/// leaders share the work.
///
/// | existing `middle` exchanges | route of a way's keys | effect of a declaration |
/// |---|---|---|
/// | none | the way's first queue | binds the first queues if `width` is 1, otherwise creates all `middle` exchanges |
/// | one or more | the way's `middle`, then one of its bound queues | completes the `middle` exchanges, see below |
///
/// To complete the `middle` exchanges, a declaration creates the missing ones and binds the first `width` queues of
/// each way to them. It removes their bindings to further queues, and the bindings from `exchange` to queues.
///
/// A message is duplicated if it reaches two queues by two routes. If both routes lead to the same queue, RabbitMQ puts
/// the message into it only once. Therefore a `middle` exchange is first bound only to the way's first queue. The other
/// queues are bound after the direct binding from `exchange` is removed. If a declaration is interrupted, the next one
/// completes it.
package struct AMQPSharding: Sendable, Hashable {
    /// A group of routing keys that share the same queues.
    package struct Way: Sendable, Hashable {
        /// The routing keys of ``AMQPSharding/exchange`` whose messages go to this way.
        package let keys: [String]
        /// The exchange between ``AMQPSharding/exchange`` and the queues. It routes each message to one of its bound
        /// queues and ignores the routing key.
        package let middle: AMQPExchange
        /// The names of all queues that the way can have. Only the first ``AMQPSharding/width`` of them receive messages.
        package let queues: [String]

        package init(keys: [String], middle: AMQPExchange, queues: [String]) {
            self.keys = keys
            self.middle = middle
            self.queues = queues
        }
    }

    /// The name of the exchange whose messages are sharded.
    package let exchange: String
    /// The ways, at least one. All have the same number of queues. Queues are created in the order of the ways.
    package let ways: [Way]
    /// The number of queues of each way that receive messages. These queues are also part of the topology.
    package let width: Int

    /// The `middle` exchanges that must exist. With a ``width`` of 1, no such exchange is required.
    package var middles: [AMQPExchange] { width > 1 ? ways.map(\.middle) : [] }

    package init(exchange: String, ways: [Way], width: Int) {
        self.exchange = exchange
        self.ways = ways
        self.width = width
    }
}
