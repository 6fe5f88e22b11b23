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

    package func queue(of queue: JobQueue) -> String {
        switch queue {
        case .lane(let lane): self.queue(of: lane)
        case .overflow(let lane): "\(self.queue(of: lane)).overflow"
        case .suspects: "\(jobs).suspects"
        }
    }

    /// Exchange and queue of the jobs that wait so many seconds.
    public func delay(seconds: Int) -> String { "\(prefix).delay.\(seconds)" }

    /// Everything durable; declared by whoever comes first.
    ///
    /// A job that is delivered again and again without being settled has most likely ended its workers. The first to
    /// see it after ``PipelineConfiguration/suspicion`` deliveries moves it to the suspects, which are taken one at a
    /// time; there the broker dead-letters it after three more (rabbitmq.com, "Quorum Queues", poison messages).
    public func topology(delays: [Int]) -> AMQPTopology {
        var topology = AMQPTopology(
            exchanges: [
                AMQPExchange(name: dead, kind: .topic),
                AMQPExchange(name: results, kind: .topic),
                AMQPExchange(name: jobs, kind: .direct, arguments: ["alternate-exchange": .string(dead)]),
            ],
            queues: [AMQPQueue(name: dead, arguments: ["x-queue-type": "quorum"])],
            bindings: [AMQPBinding(queue: dead, exchange: dead, routingKey: "#")])
        for queue in JobQueue.all {
            topology.queues.append(
                AMQPQueue(
                    name: self.queue(of: queue),
                    arguments: [
                        "x-queue-type": "quorum", "x-dead-letter-exchange": .string(dead),
                        "x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish",
                        "x-delivery-limit": queue == .suspects ? 3 : 20,
                    ]))
        }
        for lane in Lane.allCases {
            topology.bindings.append(
                AMQPBinding(queue: queue(of: lane), exchange: jobs, routingKey: lane.rawValue))
        }
        topology.bindings.append(AMQPBinding(queue: queue(of: .normal), exchange: jobs, routingKey: ""))
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
}

/// Headers Martlet puts on the jobs it publishes itself.
public enum JobHeader {
    /// Number of the attempt that comes next, from 1.
    public static let attempt = "x-martlet-attempt"
    /// When the first attempt was, in milliseconds since 1970.
    public static let firstAttempt = "x-martlet-first-attempt-at"
    /// The pushes may have been sent before.
    public static let redelivered = "x-martlet-redelivered"
    /// This message was delivered before it was moved: whoever had claimed it may be gone.
    public static let deliveredBefore = "x-martlet-delivered-before"
    /// The validated user who first published the job; believed only from a worker.
    public static let publisher = "x-martlet-publisher"
    /// Names a chunk, or what was left of a job for another attempt: the same name twice is the same message twice.
    public static let part = "x-martlet-part"
    /// A part is one of the chunks that a job was split into.
    public static let chunk = "x-martlet-chunk"
    /// The lane of a job among the suspects.
    public static let lane = "x-martlet-lane"
    /// Why a job is in the dead-letter queue.
    public static let reason = "x-martlet-reason"
    /// W3C Trace Context.
    public static let traceparent = "traceparent"
}
