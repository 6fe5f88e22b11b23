/// A distribution of an exchange's messages over several queues for each routing key, so that several queue leaders
/// share the work.
///
/// | `middle`s in the broker | route of a way's keys | effect of a declaration |
/// |---|---|---|
/// | none | its first queue | binds the first queues if `width` is 1, otherwise creates all middles |
/// | one or more | its middle, then one of the bound queues | completes the middles, see below |
///
/// To complete the middles, a declaration creates the missing ones and binds the first `width` queues of each way. It
/// removes all other bindings of the middles, and the bindings from `exchange` to queues.
///
/// Two routes at once would duplicate each message, unless the middle leads only to the first queue: RabbitMQ puts a
/// message into a queue only once. Therefore a middle begins with the first queue, and gets the others after the direct
/// binding is removed. If a declaration is interrupted, the next one completes it.
public struct AMQPSpread: Sendable, Hashable {
    public struct Way: Sendable, Hashable {
        /// The routing keys of `exchange` that lead to this way.
        public let keys: [String]
        /// An exchange that routes each message to one of its queues and ignores the routing key.
        public let middle: AMQPExchange
        /// The names of all queues that the way may ever have.
        public let queues: [String]

        public init(keys: [String], middle: AMQPExchange, queues: [String]) {
            self.keys = keys
            self.middle = middle
            self.queues = queues
        }
    }

    public let exchange: String
    /// The ways, at least one. All have the same number of queues. Queues are created in the order of the ways.
    public let ways: [Way]
    /// The number of queues of each way that receive messages. These queues are also in the topology.
    public let width: Int

    /// The middles that must exist. With a `width` of 1, no middle is required.
    public var middles: [AMQPExchange] { width > 1 ? ways.map(\.middle) : [] }

    public init(exchange: String, ways: [Way], width: Int) {
        self.exchange = exchange
        self.ways = ways
        self.width = width
    }
}
