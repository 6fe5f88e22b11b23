public import AMQPClient
public import PushModel

/// The names of everything Martlet has in the broker, and how it is declared.
public struct PipelineNames: Sendable, Hashable {
    /// How often a dead job may be looked at, and a dropped one be delivered: each reading that leaves it counts as a
    /// delivery, and from RabbitMQ 4 on a quorum queue that does not say otherwise drops a message after 20. No limit
    /// at all is -1 there, which versions before refuse.
    private static let deadReadings: Int64 = 1_000_000
    /// The number of times that a job may return to its lane's queue before the broker treats it as a poison message.
    static let deliveries = 20
    /// Of a suspect, before the broker takes it for a poison message.
    static let suspectDeliveries = 3

    /// What every name begins with.
    public let prefix: String
    /// How many queues a lane's jobs are spread over.
    public let shards: Int
    public static let mostShards = 16

    /// - Parameter shards: 1 to ``mostShards``.
    public init(prefix: String = "martlet", shards: Int = 1) {
        self.prefix = prefix
        self.shards = shards
    }

    public var jobs: String { "\(prefix).jobs" }
    public var results: String { "\(prefix).results" }
    public var dead: String { "\(prefix).dead" }
    /// Exchange of the jobs that workers set apart. Publishers have an exchange of their own, so that none of their
    /// keys leads there.
    package var moved: String { "\(prefix).moved" }
    /// Exchange and queue of what the broker takes out of the jobs' queues by itself: workers tell of it and put it
    /// among the dead.
    public var dropped: String { "\(prefix).dropped" }

    public func queue(of lane: Lane) -> String { "\(jobs).\(lane.rawValue)" }

    /// One of those that a lane is spread over, from 1.
    public func queue(of lane: Lane, shard: Int) -> String {
        shard == 1 ? queue(of: lane) : "\(queue(of: lane)).\(shard)"
    }

    package func queue(of queue: JobQueue) -> String {
        switch queue {
        case .lane(let lane): self.queue(of: lane)
        case .overflow(let lane): "\(self.queue(of: lane)).overflow"
        case .suspects: "\(jobs).suspects"
        case .dropped: dropped
        }
    }

    /// Returns the index that tags use for one of the queues that workers consume.
    func tagIndex(ofQueue name: String) -> UInt16? {
        for queue in JobQueue.all {
            if self.queue(of: queue) == name { return queue.tagIndex(shard: 1) }
            guard case .lane(let lane) = queue else { continue }
            for shard in 2...Self.mostShards where self.queue(of: lane, shard: shard) == name {
                return queue.tagIndex(shard: shard)
            }
        }
        return nil
    }

    /// Those that workers take jobs from.
    package var consumedQueues: [String] {
        JobQueue.all.map { queue(of: $0) }
            + (1...shards).dropFirst().flatMap { shard in Lane.allCases.map { queue(of: $0, shard: shard) } }
    }

    /// The key under which ``moved`` leads to a queue; nil where it does not.
    package static func movingKey(to queue: JobQueue) -> String? {
        switch queue {
        case .overflow(let lane): "\(lane.rawValue).overflow"
        case .suspects: "suspects"
        case .lane, .dropped: nil
        }
    }

    /// Exchange and queue of the jobs that wait so many seconds.
    public func delay(seconds: Int) -> String { "\(prefix).delay.\(seconds)" }

    /// Everything durable; declared by whoever comes first.
    ///
    /// A job that is delivered again and again without being settled has most likely ended its workers. The first to
    /// see it after ``PipelineConfiguration/deliveriesUntilSuspect`` deliveries moves it to the suspects, which are
    /// taken one at a time; there the broker dead-letters it after three more (rabbitmq.com, "Quorum Queues", poison
    /// messages).
    public func topology(delays: [Int]) -> AMQPTopology {
        var topology = AMQPTopology(
            exchanges: [
                AMQPExchange(name: dead, kind: .topic),
                AMQPExchange(name: results, kind: .topic),
                AMQPExchange(name: dropped, kind: .topic),
                AMQPExchange(name: jobs, kind: .direct, arguments: ["alternate-exchange": .string(dropped)]),
                AMQPExchange(name: moved, kind: .direct),
            ],
            queues: [
                AMQPQueue(
                    name: dead, arguments: ["x-queue-type": "quorum", "x-delivery-limit": .int64(Self.deadReadings)]),
                // The broker puts among the dead what is too large for a worker to publish.
                AMQPQueue(
                    name: dropped,
                    arguments: [
                        "x-queue-type": "quorum", "x-delivery-limit": .int64(Self.deadReadings),
                        "x-dead-letter-exchange": .string(dead), "x-dead-letter-strategy": "at-least-once",
                        "x-overflow": "reject-publish",
                    ]),
            ],
            bindings: [dead, dropped].map { AMQPBinding(queue: $0, exchange: $0, routingKey: "#") })
        for queue in JobQueue.all where queue != .dropped {
            topology.queues.append(
                AMQPQueue(
                    name: self.queue(of: queue),
                    arguments: arguments(deliveries: queue == .suspects ? Self.suspectDeliveries : Self.deliveries)))
            guard let key = Self.movingKey(to: queue) else { continue }
            topology.bindings.append(AMQPBinding(queue: self.queue(of: queue), exchange: moved, routingKey: key))
        }
        for shard in 1...shards where shard > 1 {
            for lane in Lane.allCases {
                var arguments = arguments(deliveries: Self.deliveries)
                // The first ones were made without, and can't be told any more.
                arguments["x-queue-leader-locator"] = "balanced"
                topology.queues.append(AMQPQueue(name: self.queue(of: lane, shard: shard), arguments: arguments))
            }
        }
        topology.spread = spread
        for seconds in Set(delays).union(ScheduleLadder.delays).sorted() {
            let name = delay(seconds: seconds)
            // A fanout exchange in front keeps the lane as the routing key, under which the expired job goes
            // back to the jobs exchange.
            topology.exchanges.append(AMQPExchange(name: name, kind: .fanout))
            topology.queues.append(
                AMQPQueue(
                    name: name,
                    arguments: [
                        "x-queue-type": "quorum", "x-message-ttl": .int64(Int64(seconds) * 1000),
                        "x-dead-letter-exchange": .string(jobs), "x-dead-letter-strategy": "at-least-once",
                        "x-overflow": "reject-publish",
                    ]))
            topology.bindings.append(AMQPBinding(queue: name, exchange: name, routingKey: ""))
        }
        return topology
    }
    private func arguments(deliveries: Int) -> AMQPFieldTable {
        [
            "x-queue-type": "quorum", "x-dead-letter-exchange": .string(dropped),
            "x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish",
            "x-delivery-limit": .int64(Int64(deliveries)),
        ]
    }

    /// The lanes' exchanges have their first queues' names. What finds no way is among the dropped, as with ``jobs``.
    private var spread: AMQPSpread {
        AMQPSpread(
            exchange: jobs,
            ways: Lane.allCases.map { lane in
                AMQPSpread.Way(
                    keys: lane == .normal ? [lane.rawValue, ""] : [lane.rawValue],
                    middle: AMQPExchange(
                        name: queue(of: lane), kind: .random, arguments: ["alternate-exchange": .string(dropped)]),
                    queues: (1...Self.mostShards).map { queue(of: lane, shard: $0) })
            }, width: shards)
    }
}
