import EventNames
package import Logging

/// Queues of a topology that were declared before and no longer exist in the broker. The messages in them are lost.
///
/// A policy with `expires`, or an operator, deletes such queues. A value.
package struct VanishedQueues: Sendable {
    private let topology: AMQPTopology
    /// The time at which the last mandatory message to an exchange was confirmed.
    private var confirmed: [String: ContinuousClock.Instant] = [:]

    package init(_ topology: AMQPTopology) { self.topology = topology }

    package mutating func confirmed(_ publication: AMQPPublication, at now: ContinuousClock.Instant) {
        guard publication.isMandatory else { return }
        confirmed[publication.exchange] = now
    }

    /// Returns the missing queues that certainly held messages of this publisher. Messages stay in such a queue for a
    /// fixed time, and less time has passed since the broker confirmed the last one.
    package func lossesAreCertain(_ missing: [String], now: ContinuousClock.Instant) -> [String] {
        missing.filter { name in
            guard let queue = topology.queues.first(where: { $0.name == name }),
                let milliseconds = queue.arguments["x-message-ttl"]?.integer
            else { return false }
            return topology.bindings.contains { binding in
                binding.queue == name
                    && confirmed[binding.exchange].map { now - $0 < .milliseconds(milliseconds) } == true
            }
        }
    }

    package func report(_ missing: [String], to logger: Logger, now: ContinuousClock.Instant) {
        guard !missing.isEmpty else { return }
        let certain = lossesAreCertain(missing, now: now)
        var metadata: Logger.Metadata = ["queues": "\(missing.joined(separator: ", "))"]
        if !certain.isEmpty { metadata["lost"] = "\(certain.joined(separator: ", "))" }
        logger.error(
            .queuesVanished, "Queues were deleted in the broker, and their messages are lost", metadata: metadata)
    }
}
