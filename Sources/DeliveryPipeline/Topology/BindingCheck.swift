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

    /// The routes by which a job arrives twice.
    package private(set) var copies: [String] = []
    /// The missing bindings, without which jobs are not routed.
    package private(set) var gaps: [String] = []
    /// The queues that receive more or fewer jobs than configured.
    package private(set) var differences: [String] = []
    /// The bindings that were added by hand and that lose or duplicate jobs.
    package private(set) var strays: [String] = []
    /// The bindings that were added by hand and do not affect Martlet's jobs.
    package private(set) var guests: [String] = []

    /// Returns the exchanges whose bindings must be checked.
    package static func exchanges(_ topology: AMQPTopology) -> [String] {
        var sources = topology.bindings.map(\.exchange)
        if let sharding = topology.sharding { sources += [sharding.exchange] + sharding.ways.map(\.middle.name) }
        return Set(sources).sorted()
    }

    package init(_ topology: AMQPTopology, found: Set<Binding>) {
        for binding in topology.bindings
        where !found.contains(
            Binding(
                source: binding.exchange, destination: binding.queue, isQueue: true, routingKey: binding.routingKey))
        {
            gaps.append("\(binding.exchange) is not bound to \(binding.queue), key \"\(binding.routingKey)\"")
        }
        guard let sharding = topology.sharding else { return }
        for way in sharding.ways { check(way, of: sharding, found) }
        let own = Set(
            topology.exchanges.map(\.name) + topology.queues.map(\.name)
                + sharding.ways.flatMap { [$0.middle.name] + $0.queues })
        for binding in found.subtracting(Self.planned(topology, sharding)).sorted(by: { $0.text < $1.text }) {
            check(unplanned: binding, of: sharding, own)
        }
    }

    private static func planned(_ topology: AMQPTopology, _ sharding: AMQPSharding) -> Set<Binding> {
        var planned = Set(
            topology.bindings.map {
                Binding(source: $0.exchange, destination: $0.queue, isQueue: true, routingKey: $0.routingKey)
            })
        for way in sharding.ways {
            for key in way.keys {
                for (name, isQueue) in [(way.queues[0], true), (way.middle.name, false)] {
                    planned.insert(
                        Binding(source: sharding.exchange, destination: name, isQueue: isQueue, routingKey: key))
                }
            }
            for queue in way.queues {
                planned.insert(Binding(source: way.middle.name, destination: queue, isQueue: true, routingKey: ""))
            }
        }
        return planned
    }

    private mutating func check(unplanned binding: Binding, of sharding: AMQPSharding, _ own: Set<String>) {
        if let way = sharding.ways.first(where: { $0.middle.name == binding.source }) {
            let isOwn = binding.isQueue && way.queues.contains(binding.destination)
            strays.append("\(binding.text), which gets \(isOwn ? "more than its share" : "a share") of the lane's jobs")
        } else if binding.source == sharding.exchange {
            if own.contains(binding.destination),
                sharding.ways.contains(where: { $0.keys.contains(binding.routingKey) })
            {
                strays.append("\(binding.text) as well, so jobs arrive twice")
            } else {
                guests.append(binding.text)
            }
        }
    }

    private mutating func check(_ way: AMQPSharding.Way, of sharding: AMQPSharding, _ found: Set<Binding>) {
        let bound = way.queues.filter { queue in
            found.contains { $0.source == way.middle.name && $0.isQueue && $0.destination == queue }
        }
        var isSharded = false
        for key in way.keys {
            func leads(_ name: String, isQueue: Bool) -> Bool {
                found.contains(
                    Binding(source: sharding.exchange, destination: name, isQueue: isQueue, routingKey: key))
            }
            let isDirect = leads(way.queues[0], isQueue: true)
            let isOver = leads(way.middle.name, isQueue: false)
            isSharded = isSharded || isOver
            // An exchange delivers a message to a queue only once, even if several bindings match.
            let others = bound.filter { $0 != way.queues[0] }
            if isDirect, isOver, !others.isEmpty {
                copies.append(
                    "\(sharding.exchange) routes key \"\(key)\" to the queue \(way.queues[0]) and, through the "
                        + "exchange \(way.middle.name), to \(others.joined(separator: ", ")), so jobs arrive twice"
                )
            } else if !isDirect, !isOver || bound.isEmpty {
                gaps.append("\(sharding.exchange) does not route key \"\(key)\"")
            } else if !isOver, sharding.width > 1 {
                differences.append("\(sharding.exchange) bypasses \(way.middle.name) for key \"\(key)\"")
            }
        }
        guard isSharded else { return }
        let wanted = way.queues.prefix(sharding.width)
        let lacking = wanted.filter { !bound.contains($0) }
        if !lacking.isEmpty { differences.append("\(lacking.joined(separator: ", ")) gets no jobs") }
        let surplus = bound.filter { !wanted.contains($0) }
        if !surplus.isEmpty { differences.append("\(surplus.joined(separator: ", ")) gets jobs, beyond amqp.shards") }
    }
}

extension BindingCheck.Binding {
    fileprivate var text: String {
        "the exchange \(source) routes key \"\(routingKey)\" to the \(isQueue ? "queue" : "exchange") \(destination)"
    }
}
