import AMQPClient
import Logging

/// A connection that jobs are taken from: its consumer, the queues that share it, and the bytes that these may hold.
final class JobSource: Sendable {
    let queues: [JobQueue]
    private let consumer: AMQPConsumer
    private let budget: AMQPByteBudget

    init(
        _ queues: [JobQueue], number: Int, _ configuration: PipelineConfiguration, broker: AMQPConfiguration,
        topology: AMQPTopology, logger: Logger
    ) throws(AMQPError) {
        self.queues = queues
        budget = AMQPByteBudget(limit: configuration.prefetchBytes)
        var broker = broker
        broker.connectionName = "\(configuration.worker) consumer \(number)"
        consumer = try AMQPConsumer(
            configuration: broker, topology: topology,
            queues: queues.map {
                AMQPConsumedQueue(
                    name: configuration.names.queue(of: $0),
                    prefetch: UInt16(clamping: configuration.firstPrefetch(of: $0)), tagIndex: UInt16($0.index))
            },
            budget: budget, logger: logger)
    }

    func start(_ onEvent: @escaping AMQPConsumer.EventHandler) { consumer.start(onEvent) }

    func acknowledge(_ acknowledgements: [AMQPAcknowledgement]) { consumer.acknowledge(acknowledgements) }

    /// The broker is to dead-letter it.
    func reject(_ tag: AMQPDeliveryTag) { consumer.reject([tag], requeue: false) }

    func setPrefetch(_ prefetch: Int, of queue: JobQueue) {
        consumer.setPrefetch(UInt16(clamping: prefetch), ofQueue: UInt16(queue.index))
    }

    /// Releases its bytes, before it is acknowledged, which wakes the consumer.
    func release(_ delivery: AMQPDelivery) { budget.release(delivery) }

    var bytesHeld: Int { budget.held }

    func stopConsuming() { consumer.stopConsuming() }

    func close() async { await consumer.close() }
}
