package import AMQPClient
package import PushModel

/// The names of Martlet's exchanges and queues, and their declaration.
package struct PipelineNames: Sendable, Hashable {
    /// The delivery limit of the queues of dead and dropped jobs. Each read that leaves a job in the queue counts as a
    /// delivery. From RabbitMQ 4 on, a quorum queue without a limit of its own drops a message after 20 redeliveries.
    /// Earlier versions refuse the value -1, which means no limit.
    private static let deadReadings: Int64 = 1_000_000
    /// The number of times that a job may return to its lane's queue before the broker treats it as a poison message.
    package static let deliveries = 20
    /// The number of times that a suspect may return to its queue before the broker treats it as a poison message.
    package static let suspectDeliveries = 3

    /// The prefix of all names.
    package let prefix: String

    package init(prefix: String = "martlet") {
        self.prefix = prefix
    }

    package var jobs: String { "\(prefix).jobs" }
    package var results: String { "\(prefix).results" }
    package var dead: String { "\(prefix).dead" }
    /// The exchange for jobs that workers and delay queues publish again. It is separate from the publishers' exchange,
    /// so that no publisher's routing key leads there.
    package var moved: String { "\(prefix).moved" }
    /// The exchange and queue for messages that the broker drops from the jobs' queues. Workers report and dead-letter
    /// them.
    package var dropped: String { "\(prefix).dropped" }

    package func queue(of lane: Lane) -> String { "\(jobs).\(lane.rawValue)" }

    package func queue(of queue: JobQueue) -> String {
        switch queue {
        case .lane(let lane): self.queue(of: lane)
        case .returned(let lane): "\(self.queue(of: lane)).returned"
        case .waiting(let lane, let number): "\(self.queue(of: lane)).waiting.\(number)"
        case .suspects: "\(jobs).suspects"
        case .dropped: dropped
        }
    }

    /// Returns the index of a queue in delivery tags, or `nil` if workers do not consume a queue with this name.
    package func tagIndex(ofQueue name: String) -> UInt16? { JobQueue.all.first { queue(of: $0) == name }?.tagIndex }

    /// The names of the queues that workers consume.
    package var consumedQueues: [String] { JobQueue.all.map { queue(of: $0) } }

    /// Returns the routing keys that the exchange ``jobs`` routes to a queue. A job without a routing key goes to the
    /// normal lane.
    private static func jobKeys(to queue: JobQueue) -> [String] {
        switch queue {
        case .lane(.normal): [Lane.normal.rawValue, ""]
        case .lane(let lane): [lane.rawValue]
        case .returned, .waiting, .suspects, .dropped: []
        }
    }

    /// Returns the routing key that the exchange ``moved`` routes to a queue, or `nil` if there is none.
    package static func movingKey(to queue: JobQueue) -> String? {
        switch queue {
        case .returned(let lane): returningKey(to: lane)
        case .waiting(let lane, let number): "\(lane.rawValue).waiting.\(number)"
        case .suspects: "suspects"
        case .lane, .dropped: nil
        }
    }

    /// Returns the routing key with which a job returns to its lane.
    package static func returningKey(to lane: Lane) -> String { "\(lane.rawValue).returned" }

    /// Returns the name of the exchange and queue for jobs that are delayed by a number of seconds.
    package func delay(seconds: Int) -> String { "\(prefix).delay.\(seconds)" }

    /// Returns the exchanges, queues and bindings, all of them durable.
    ///
    /// A job that is redelivered repeatedly without being settled has most likely crashed its workers. After
    /// `PipelineConfiguration.deliveriesUntilSuspect` deliveries, a worker moves the job to the suspects, which are
    /// processed one at a time. After four more deliveries, the broker moves the job to the dropped jobs (rabbitmq.com,
    /// "Quorum Queues", poison messages).
    package func topology(delays: [Int]) -> AMQPTopology {
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
                // Jobs that are too large for a worker to publish are rejected from this queue, so that the broker
                // dead-letters them.
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
            topology.bindings += Self.jobKeys(to: queue).map {
                AMQPBinding(queue: self.queue(of: queue), exchange: jobs, routingKey: $0)
            }
            guard let key = Self.movingKey(to: queue) else { continue }
            topology.bindings.append(AMQPBinding(queue: self.queue(of: queue), exchange: moved, routingKey: key))
        }
        for seconds in Set(delays).union(ScheduleDelays.delays).sorted() {
            let name = delay(seconds: seconds)
            // The fanout exchange in front keeps the routing key of the job. With this key, the exchange for moved jobs
            // routes the expired job to the queue of its lane for returned jobs.
            topology.exchanges.append(AMQPExchange(name: name, kind: .fanout))
            topology.queues.append(
                AMQPQueue(
                    name: name,
                    arguments: [
                        "x-queue-type": "quorum", "x-message-ttl": .int64(Int64(seconds) * 1000),
                        "x-dead-letter-exchange": .string(moved), "x-dead-letter-strategy": "at-least-once",
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
}
