import AMQPClient

/// The steps that create and remove bindings. Their order ensures that no job is lost or duplicated, regardless of how
/// many shards were bound before.
struct BindingPlan: Sendable, Hashable {
    /// A binding of a queue or an exchange to an exchange.
    struct Binding: Sendable, Hashable {
        let source: String
        let destination: String
        let isQueue: Bool
        let routingKey: String

        var kind: String { isQueue ? "queue" : "exchange" }
    }

    /// A removal of the bindings between one source and several destinations. Most of these bindings usually do not
    /// exist.
    struct Unbinding: Sendable, Hashable {
        let source: String
        let destinations: [String]
        let isQueue: Bool
        let routingKey: String

        /// The destinations as text for operators.
        var names: String {
            guard destinations.count > 1, let first = destinations.first, let last = destinations.last else {
                return destinations.first ?? ""
            }
            return "\(first) to \(last)"
        }
    }

    enum Step: Sendable, Hashable {
        case bind(Binding)
        case unbind(Unbinding)
    }

    private(set) var steps: [Step]

    init(_ topology: AMQPTopology) {
        steps = topology.bindings.map {
            .bind(Binding(source: $0.exchange, destination: $0.queue, isQueue: true, routingKey: $0.routingKey))
        }
        guard let sharding = topology.sharding else { return }
        if sharding.width > 1 { lay(sharding) } else { layOne(sharding) }
    }

    var bindings: [Binding] {
        steps.compactMap { if case .bind(let binding) = $0 { binding } else { nil } }
    }

    var unbindings: [Unbinding] {
        steps.compactMap { if case .unbind(let unbinding) = $0 { unbinding } else { nil } }
    }

    /// Adds the steps for lanes with several shards. The middle exchange of a lane is first bound only to the first
    /// queue. This queue may also have a direct binding, but RabbitMQ delivers each message to it only once. The other
    /// queues are bound to the middle exchange after the direct binding is removed.
    private mutating func lay(_ sharding: AMQPSharding) {
        for way in sharding.ways {
            bindToMiddle(way, way.queues.prefix(1))
            steps += over(sharding, way).map { .bind($0) }
            for binding in past(sharding, way) { unbind(binding) }
            unbindFromMiddle(way, way.queues.dropFirst(sharding.width))
            bindToMiddle(way, way.queues.prefix(sharding.width).dropFirst())
        }
    }

    /// Adds the steps for lanes with one shard, in the reverse order of ``lay(_:)``.
    private mutating func layOne(_ sharding: AMQPSharding) {
        for way in sharding.ways {
            unbindFromMiddle(way, way.queues.dropFirst())
            steps += past(sharding, way).map { .bind($0) }
            for binding in over(sharding, way) { unbind(binding) }
        }
    }

    private func over(_ sharding: AMQPSharding, _ way: AMQPSharding.Way) -> [Binding] {
        way.keys.map {
            Binding(source: sharding.exchange, destination: way.middle.name, isQueue: false, routingKey: $0)
        }
    }

    private func past(_ sharding: AMQPSharding, _ way: AMQPSharding.Way) -> [Binding] {
        way.keys.map { Binding(source: sharding.exchange, destination: way.queues[0], isQueue: true, routingKey: $0) }
    }

    private mutating func bindToMiddle(_ way: AMQPSharding.Way, _ queues: ArraySlice<String>) {
        steps += queues.map {
            .bind(Binding(source: way.middle.name, destination: $0, isQueue: true, routingKey: ""))
        }
    }

    private mutating func unbindFromMiddle(_ way: AMQPSharding.Way, _ queues: ArraySlice<String>) {
        guard !queues.isEmpty else { return }
        steps.append(
            .unbind(
                Unbinding(source: way.middle.name, destinations: Array(queues), isQueue: true, routingKey: "")))
    }

    private mutating func unbind(_ binding: Binding) {
        steps.append(
            .unbind(
                Unbinding(
                    source: binding.source, destinations: [binding.destination], isQueue: binding.isQueue,
                    routingKey: binding.routingKey)))
    }
}
