public import AMQPClient
public import PushModel

/// The names of everything Martlet has in the broker, and how it is declared.
public struct PipelineNames: Sendable, Hashable {
    /// What every name begins with.
    public let prefix: String

    public init(prefix: String = "martlet") {
        self.prefix = prefix
    }

    public var jobs: String { "\(prefix).jobs" }
    public var results: String { "\(prefix).results" }
    public var dead: String { "\(prefix).dead" }

    public func queue(of lane: Lane) -> String { "\(jobs).\(lane.rawValue)" }

    /// Exchange and queue of the jobs that wait so many seconds.
    public func delay(seconds: Int) -> String { "\(prefix).delay.\(seconds)" }

    /// Everything durable; declared by whoever comes first.
    ///
    /// A job that has been delivered 20 times without being settled has most likely killed its workers, and
    /// is dead-lettered by the broker (rabbitmq.com, "Quorum Queues", poison messages).
    public func topology(delays: [Int]) -> AMQPTopology {
        var topology = AMQPTopology(
            exchanges: [
                AMQPExchange(name: dead, kind: .topic),
                AMQPExchange(name: results, kind: .topic),
                AMQPExchange(name: jobs, kind: .direct, arguments: ["alternate-exchange": .string(dead)]),
            ],
            queues: [AMQPQueue(name: dead, arguments: ["x-queue-type": "quorum"])],
            bindings: [AMQPBinding(queue: dead, exchange: dead, routingKey: "#")])
        for lane in Lane.allCases {
            topology.queues.append(
                AMQPQueue(
                    name: queue(of: lane),
                    arguments: [
                        "x-queue-type": "quorum", "x-dead-letter-exchange": .string(dead),
                        "x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish",
                        "x-delivery-limit": 20,
                    ]))
            topology.bindings.append(
                AMQPBinding(queue: queue(of: lane), exchange: jobs, routingKey: lane.rawValue))
        }
        topology.bindings.append(AMQPBinding(queue: queue(of: .normal), exchange: jobs, routingKey: ""))
        for seconds in delays {
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
}

/// Headers Martlet puts on the jobs it publishes itself.
public enum JobHeader {
    /// Number of the attempt that comes next, from 1.
    public static let attempt = "x-martlet-attempt"
    /// When the first attempt was, in milliseconds since 1970.
    public static let firstAttempt = "x-martlet-first-attempt-at"
    /// The pushes may have been sent before.
    public static let redelivered = "x-martlet-redelivered"
    /// The validated user who first published the job; believed only from a worker.
    public static let publisher = "x-martlet-publisher"
    /// Why a job is in the dead-letter queue.
    public static let reason = "x-martlet-reason"
    /// W3C Trace Context.
    public static let traceparent = "traceparent"
}
