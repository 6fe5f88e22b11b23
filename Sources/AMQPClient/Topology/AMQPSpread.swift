/// Spreads what an exchange is given over several queues for each of some keys, so that several leaders share the work.
///
/// | the ways' `middle`s | what their keys lead to | who declares |
/// |---|---|---|
/// | none is in the broker | the first of a way's queues | binds that, as long as one queue is asked for; else makes all middles |
/// | any is there | the middle, and from there one of the queues that are bound to it | makes those that are missing, binds the first `width` queues to it, takes away what else is bound, and leaves `exchange` bound to no queue |
///
/// Both at once would make two of each message, but where the middle has the first queue only: RabbitMQ gives a queue no message
/// twice. So a middle begins with that one, and gets the others once nothing leads past it. Whoever declares next completes what
/// was begun.
public struct AMQPSpread: Sendable, Hashable {
    public struct Way: Sendable, Hashable {
        /// Of `exchange`.
        public let keys: [String]
        /// Gives each message to one of its queues, whatever the key.
        public let middle: AMQPExchange
        /// As many as there may ever be.
        public let queues: [String]

        public init(keys: [String], middle: AMQPExchange, queues: [String]) {
            self.keys = keys
            self.middle = middle
            self.queues = queues
        }
    }

    public let exchange: String
    /// At least one, each with as many queues as the others. Queues are made in the order of the ways.
    public let ways: [Way]
    /// How many queues of each way are to be given messages; those are in the topology, too.
    public let width: Int

    /// Those that are needed.
    public var middles: [AMQPExchange] { width > 1 ? ways.map(\.middle) : [] }

    public init(exchange: String, ways: [Way], width: Int) {
        self.exchange = exchange
        self.ways = ways
        self.width = width
    }
}
