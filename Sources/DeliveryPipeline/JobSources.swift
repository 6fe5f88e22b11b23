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

    func stopConsuming() { consumer.stopConsuming() }

    func close() async { await consumer.close() }
}

/// All connections that jobs are taken from.
struct JobSources: Sendable {
    /// As ``JobQueue/connections``.
    let all: [JobSource]
    /// By the index of a queue.
    private let ofQueue: [JobSource]

    init(
        _ configuration: PipelineConfiguration, broker: AMQPConfiguration, topology: AMQPTopology, logger: Logger
    ) throws(AMQPError) {
        var all: [JobSource] = []
        for queues in JobQueue.connections {
            all.append(
                try JobSource(
                    queues, number: all.count + 1, configuration, broker: broker, topology: topology, logger: logger))
        }
        self.all = all
        ofQueue = JobQueue.all.compactMap { queue in all.first { $0.queues.contains(queue) } }
    }

    subscript(tag: AMQPDeliveryTag) -> JobSource { ofQueue[Int(tag.queueIndex)] }
    subscript(queue: JobQueue) -> JobSource { ofQueue[queue.index] }

    func acknowledge(_ acknowledgements: [AMQPAcknowledgement]) {
        for source in all { source.acknowledge(acknowledgements.filter { self[$0.tag] === source }) }
    }
}
