import AMQPClient
import Logging

/// The messages of one queue, as they come, for a command.
final class Deliveries: Sendable {
    let stream: AsyncStream<AMQPDelivery>
    private let consumer: AMQPConsumer

    /// - Throws: when the broker can't be reached or refuses.
    init(
        of queue: String, topology: AMQPTopology, broker: AMQPConfiguration, prefetch: UInt16 = 100, logger: Logger
    ) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: AMQPDelivery.self)
        self.stream = stream
        consumer = try AMQPConsumer(
            configuration: broker, topology: topology,
            queues: [AMQPConsumedQueue(name: queue, prefetch: prefetch)], logger: logger
        ) { event in
            switch event {
            case .deliveries(let deliveries): for delivery in deliveries { continuation.yield(delivery) }
            case .closed: continuation.finish()
            case .connected, .stopped, .disconnected: break
            }
        }
        try await consumer.connectOnce()
    }

    func acknowledge(_ delivery: AMQPDelivery) {
        consumer.acknowledge([AMQPAcknowledgement(delivery.tag)])
    }

    /// What is not acknowledged goes back into the queue.
    func close() async { await consumer.close() }
}
