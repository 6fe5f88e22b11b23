package import AMQPClient
package import PushModel

/// The reason why the broker removed a message from its queue, or could not route it (rabbitmq.com, "Dead Letter
/// Exchanges", "Alternate Exchanges").
package struct Drop: Sendable, Hashable {
    package let reason: String
    /// Whether the message was delivered before, so that some pushes may have been sent.
    package let wasDelivered: Bool

    /// The queue whose delivery limit the message exceeded, or `nil` if the broker dropped it for another reason.
    package let limitingQueue: String?
    /// Whether a worker rejected the message because the broker refused every message that the worker made from it. The
    /// rejection event is already published.
    package let isOurs: Bool
    /// Whether the message was published before its lane was bound. This can happen while the first worker starts.
    package let isEarly: Bool

    package init(of delivery: AMQPDelivery) {
        let headers = delivery.properties.headers
        guard let death = delivery.lastDeath, let cause = death["reason"]?.string, !delivery.isUnroutable else {
            reason = "no lane is called \"\(delivery.routingKey.cut(toBytes: 100))\""
            (wasDelivered, isOurs, limitingQueue) = (false, false, nil)
            isEarly = delivery.routingKey.isEmpty || Lane(rawValue: delivery.routingKey) != nil
            return
        }
        let queue = (death["queue"]?.string ?? "its queue").cut(toBytes: 255)
        let deliveries = headers["x-delivery-count"]?.integer ?? 0
        (isOurs, isEarly) = (cause == "rejected", false)
        limitingQueue = cause == "delivery_limit" ? death["queue"]?.string : nil
        wasDelivered = ["delivery_limit", "rejected"].contains(cause) || deliveries > 0
        reason =
            switch cause {
            case "delivery_limit": "was delivered too often without being settled (delivery_limit of \(queue))"
            case "expired": "expired in \(queue) before a worker received it"
            case "rejected": "the broker refused its messages from a worker; see its event job.rejected"
            case "maxlen": "was dropped because \(queue) was full (maxlen)"
            default: "was dropped from \(queue) (\(cause.cut(toBytes: 100)))"
            }
    }
}

extension Lane {
    /// Reads the lane of a dropped or dead job from its routing key or, for a suspect, from a header. Returns `nil` if
    /// the routing key does not stand for a lane. The routing keys of the workers, such as `urgent.returned`, stand for
    /// a lane unless a publisher used them.
    package init?(of delivery: AMQPDelivery) {
        let key = delivery.routingKey
        if let lane = Lane(rawValue: key) {
            self = lane
        } else if key.isEmpty {
            self = .normal
        } else if delivery.isUnroutable || delivery.wasUnroutable {
            return nil
        } else if let lane = Self.ofMovingKey[key] {
            self = lane
        } else if key == PipelineNames.movingKey(to: .suspects) {
            self = Lane(rawValue: delivery.properties.headers[JobHeader.lane]?.string ?? "") ?? .normal
        } else {
            return nil
        }
    }

    /// The lanes of the routing keys that workers use.
    private static let ofMovingKey = Dictionary(
        uniqueKeysWithValues: JobQueue.all.compactMap { queue in
            queue.lane.flatMap { lane in PipelineNames.movingKey(to: queue).map { ($0, lane) } }
        })
}

extension AMQPDelivery {
    /// The suffix of the name of the exchange for published jobs.
    private static let jobs = ".jobs"

    /// The broker's latest record of dead-lettering this message, or `nil` if there is none. The broker inserts its
    /// latest record at the front of `x-death`, before any records that a publisher wrote.
    fileprivate var lastDeath: AMQPFieldTable? {
        guard case .array(let deaths)? = properties.headers["x-death"], case .table(let death)? = deaths.first else {
            return nil
        }
        return death
    }

    /// Whether the broker dropped this message because it could not route it by the publisher's routing key.
    fileprivate var isUnroutable: Bool { exchange.hasSuffix(Self.jobs) }

    /// Whether the broker dropped this dead message because it could not route it by the publisher's routing key.
    fileprivate var wasUnroutable: Bool { lastDeath?["exchange"]?.string?.hasSuffix(Self.jobs) == true }
}
