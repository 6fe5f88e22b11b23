package import AMQPClient

/// The faults in the bindings of a broker, as sentences. A value type without clock or I/O.
package struct BindingCheck: Sendable, Hashable {
    /// A binding from an exchange to a queue or to another exchange.
    package struct Binding: Sendable, Hashable {
        package let source: String
        package let destination: String
        package let isQueue: Bool
        package let routingKey: String

        package init(source: String, destination: String, isQueue: Bool, routingKey: String) {
            self.source = source
            self.destination = destination
            self.isQueue = isQueue
            self.routingKey = routingKey
        }
    }

    /// The missing bindings, without which messages are not routed.
    package private(set) var gaps: [String] = []
    /// The bindings that were added by hand and that duplicate jobs.
    package private(set) var strays: [String] = []
    /// The bindings that were added by hand and do not duplicate jobs.
    package private(set) var guests: [String] = []

    /// Returns the exchanges whose bindings must be checked.
    package static func exchanges(_ topology: AMQPTopology) -> [String] {
        Set(topology.bindings.map(\.exchange)).sorted()
    }

    /// Checks the bindings of a broker.
    ///
    /// - Parameters:
    ///   - topology: the exchanges, queues and bindings that the broker must have.
    ///   - jobs: the name of the exchange to which publishers publish jobs.
    ///   - found: the bindings of the broker.
    package init(_ topology: AMQPTopology, jobs: String, found: Set<Binding>) {
        let planned = topology.bindings.map {
            Binding(source: $0.exchange, destination: $0.queue, isQueue: true, routingKey: $0.routingKey)
        }
        gaps = planned.filter { !found.contains($0) }.map {
            "\($0.source) does not lead to \($0.destination), key \"\($0.routingKey)\""
        }
        let own = Set(topology.exchanges.map(\.name) + topology.queues.map(\.name))
        let keys = Set(planned.filter { $0.source == jobs }.map(\.routingKey))
        let added = found.subtracting(planned).filter { $0.source == jobs }
        for binding in added.sorted(by: { $0.text < $1.text }) {
            if own.contains(binding.destination), keys.contains(binding.routingKey) {
                strays.append("\(binding.text) as well: such jobs come twice")
            } else {
                guests.append(binding.text)
            }
        }
    }
}

extension BindingCheck.Binding {
    fileprivate var text: String {
        "the exchange \(source) leads with key \"\(routingKey)\" to the \(isQueue ? "queue" : "exchange") \(destination)"
    }
}
