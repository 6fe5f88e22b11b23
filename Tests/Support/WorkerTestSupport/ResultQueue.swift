package import AMQPClient
package import Contract
import DeliveryPipeline
package import Logging
import Foundations

/// A consumer of all result events, as in an application. It has a durable queue that is bound to all of them, and
/// acknowledges each delivery.
package final class ResultQueue: Sendable {
    private let consumer = Mutex<AMQPConsumer?>(nil)

    package init() {}

    package static func name(_ names: PipelineNames) -> String { "\(names.prefix).collected" }

    /// Starts to consume all result events.
    /// - Parameter take: called with each delivery, including repeated ones, before it is acknowledged.
    package func start(
        _ names: PipelineNames, broker: AMQPConfiguration, logger: Logger,
        _ take: @escaping @Sendable (AMQPDelivery) -> Void
    ) async throws {
        try await start(
            Self.name(names), of: names.results, key: "#", names, broker: broker, logger: logger, take)
    }

    /// Declares a queue, binds it to an exchange of Martlet with the given key, and starts to consume it.
    package func start(
        _ name: String, of exchange: String, key: String, _ names: PipelineNames, broker: AMQPConfiguration,
        logger: Logger, _ take: @escaping @Sendable (AMQPDelivery) -> Void
    ) async throws {
        let queue = AMQPQueue(name: name, arguments: ["x-queue-type": "quorum"])
        let topology = AMQPTopology(
            exchanges: names.topology(delays: []).exchanges.filter { $0.name == exchange }, queues: [queue],
            bindings: [AMQPBinding(queue: queue.name, exchange: exchange, routingKey: key)])
        let consumer = try AMQPConsumer(
            configuration: broker, topology: topology, queues: [AMQPConsumedQueue(name: queue.name, prefetch: 200)],
            logger: logger)
        self.consumer.withLock { $0 = consumer }
        try await consumer.connectOnce { [self] event in
            guard case .deliveries(let deliveries) = event else { return }
            for delivery in deliveries { take(delivery) }
            self.consumer.withLock { $0 }?.acknowledge(deliveries.map { AMQPAcknowledgement($0.tag) })
        }
    }

    package func stop() async { await consumer.withLock { $0.take() }?.close() }
}
