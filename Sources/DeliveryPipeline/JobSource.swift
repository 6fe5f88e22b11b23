package import AMQPClient
package import Contract
import Logging

/// A consuming connection with its queues and a limit on the bytes of its unsettled deliveries.
final class JobSource: Sendable {
    let queues: [JobQueue]
    private let configuration: PipelineConfiguration
    private let consumer: AMQPConsumer
    private let budget: AMQPByteBudget

    init(
        _ queues: [JobQueue], number: Int, _ configuration: PipelineConfiguration, broker: AMQPConfiguration,
        topology: AMQPTopology, logger: Logger
    ) throws(AMQPError) {
        self.queues = queues
        self.configuration = configuration
        budget = AMQPByteBudget(limit: configuration.prefetchBytes)
        var broker = broker
        broker.connectionName = "\(configuration.worker) consumer \(number)"
        consumer = try AMQPConsumer(
            configuration: broker, topology: topology, queues: configuration.consumed(queues), budget: budget,
            logger: logger)
    }

    func start(_ onEvent: @escaping AMQPConsumer.EventHandler) { consumer.start(onEvent) }

    func acknowledge(_ acknowledgements: [AMQPAcknowledgement]) { consumer.acknowledge(acknowledgements) }

    /// Rejects a delivery without requeueing it, so that the broker dead-letters it.
    func reject(_ tag: AMQPDeliveryTag) { consumer.reject([tag], requeue: false) }

    func setPrefetch(_ prefetch: Int, of queue: JobQueue) {
        consumer.setPrefetch(UInt16(clamping: prefetch), ofQueue: queue.tagIndex)
    }

    /// Sets the priority for all queues except the queue of suspects. After a change, earlier deliveries do not count
    /// towards the prefetch, so the worker could get a second suspect. It must have at most one at a time.
    func setPriority(_ priority: Int32) {
        consumer.setPriority(priority, ofQueues: Set(queues.filter { $0 != .suspects }.map(\.tagIndex)))
    }

    /// Releases the bytes of a delivery. The caller must do this before the acknowledgement, which wakes the consumer.
    func release(_ delivery: AMQPDelivery) { budget.release(delivery) }

    var bytesHeld: Int { budget.held }

    func stopConsuming() { consumer.stopConsuming() }

    func close() async { await consumer.close() }
}

extension PipelineConfiguration {
    /// The consumer argument with the timeout for acknowledgements. Brokers before RabbitMQ 4.3 ignore it.
    private static let consumerArguments: AMQPFieldTable = [
        "x-consumer-timeout": .int64(Int64(acknowledgementTimeoutMilliseconds))
    ]

    /// Returns the queues to consume.
    package func consumed(_ queues: [JobQueue]) -> [AMQPConsumedQueue] {
        queues.map { queue in
            AMQPConsumedQueue(
                name: names.queue(of: queue), prefetch: UInt16(clamping: firstPrefetch(of: queue)),
                arguments: Self.consumerArguments, tagIndex: queue.tagIndex)
        }
    }
}
