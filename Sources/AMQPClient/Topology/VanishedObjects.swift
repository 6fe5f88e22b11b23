import Foundations
package import Logging

/// A detector of exchanges and queues that were declared and no longer exist in the broker. The messages in such queues
/// and the bindings of such exchanges are lost.
///
/// Queues are deleted by a policy with `expires` or by an operator. Exchanges are deleted only by an operator.
package struct VanishedObjects: Sendable {
    /// The names of the objects that do not exist in the broker.
    package struct Missing: Sendable, Hashable {
        package var exchanges: [String]
        package var queues: [String]

        package init(exchanges: [String] = [], queues: [String] = []) {
            self.exchanges = exchanges
            self.queues = queues
        }

        package var isEmpty: Bool { exchanges.isEmpty && queues.isEmpty }
    }

    private let topology: AMQPTopology
    /// The exchanges that the topology itself binds to queues. Consumers bind queues to the other exchanges.
    private let boundExchanges: Set<String>
    /// The exchanges that the broker reported as missing for a publication since the last check.
    private var missed: Set<String> = []
    /// The time of the last confirm of a mandatory message, by exchange.
    private var confirmed: [String: ContinuousClock.Instant] = [:]

    package init(_ topology: AMQPTopology) {
        self.topology = topology
        boundExchanges = Set(topology.bindings.map(\.exchange))
    }

    package mutating func confirmed(_ publication: AMQPPublication, at now: ContinuousClock.Instant) {
        guard publication.isMandatory else { return }
        confirmed[publication.exchange] = now
    }

    package func hasExchange(_ name: String) -> Bool { topology.exchanges.contains { $0.name == name } }

    /// Records that the broker reported an exchange as missing for a publication.
    package mutating func missed(_ exchange: String) { missed.insert(exchange) }

    /// Returns the objects that a check found missing, together with the exchanges in ``missed``. Another client may
    /// have declared such an exchange again before the check.
    package mutating func checked(_ found: Missing) -> Missing {
        defer { missed = [] }
        var missing = found
        missing.exchanges += missed.subtracting(found.exchanges).sorted()
        return missing
    }

    /// Returns the missing queues that certainly held messages of this publisher. This is certain if the broker
    /// confirmed a message to the queue's exchange less than the queue's `x-message-ttl` ago.
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

    package func report(_ missing: Missing, to logger: Logger, now: ContinuousClock.Instant) {
        guard !missing.isEmpty else { return }
        var metadata: Logger.Metadata = [:]
        func list(_ key: String, _ names: [String]) {
            if !names.isEmpty { metadata[key] = "\(names.joined(separator: ", "))" }
        }
        list("queues", missing.queues)
        list("lost", lossesAreCertain(missing.queues, now: now))
        list("exchanges", missing.exchanges)
        let others = missing.exchanges.filter { !boundExchanges.contains($0) }
        if !others.isEmpty {
            metadata["todo"] = "consumers must bind their queues to \(others.joined(separator: ", ")) again"
        }
        logger.error(
            .queuesVanished, "Queues or exchanges were deleted; their messages or bindings are lost",
            metadata: metadata)
    }
}
