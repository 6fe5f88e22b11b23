import EventNames
package import Logging

/// Exchanges and queues of a topology that were declared before and no longer exist in the broker. The messages in
/// these queues and the bindings of these exchanges are lost.
///
/// A policy with `expires`, or an operator, deletes such queues. Only an operator deletes such exchanges. A value type.
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
    /// Exchanges that a publication found missing since the last check.
    private var missed: Set<String> = []
    /// The time at which the last mandatory message to an exchange was confirmed.
    private var confirmed: [String: ContinuousClock.Instant] = [:]

    package init(_ topology: AMQPTopology) {
        self.topology = topology
        var bound = Set(topology.bindings.map(\.exchange))
        if let spread = topology.spread { bound.formUnion([spread.exchange] + spread.ways.map(\.middle.name)) }
        boundExchanges = bound
    }

    package mutating func confirmed(_ publication: AMQPPublication, at now: ContinuousClock.Instant) {
        guard publication.isMandatory else { return }
        confirmed[publication.exchange] = now
    }

    package func hasExchange(_ name: String) -> Bool { topology.exchanges.contains { $0.name == name } }

    /// Records that a publication found an exchange missing.
    package mutating func missed(_ exchange: String) { missed.insert(exchange) }

    /// Returns the objects that a check found missing, and the exchanges that publications found missing before it.
    /// Another client may have declared such an exchange again before the check.
    package mutating func checked(_ found: Missing) -> Missing {
        defer { missed = [] }
        var missing = found
        missing.exchanges += missed.subtracting(found.exchanges).sorted()
        return missing
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
            .queuesVanished, "Queues or exchanges were deleted in the broker, and their messages or bindings are lost",
            metadata: metadata)
    }
}
