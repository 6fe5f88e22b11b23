package import AMQPClient
import Logging

/// A connection that jobs are taken from: its consumer, the queues that share it, and the bytes that these may hold.
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
            configuration: broker, topology: topology,
            queues: configuration.consumed(queues, shards: configuration.names.shards), budget: budget,
            logger: logger)
    }

    func start(_ onEvent: @escaping AMQPConsumer.EventHandler) { consumer.start(onEvent) }

    /// Consumes all shards of its lanes that there are, and of each so much that the lane gets no more than before.
    func consume(shards: Int) {
        let lanes = queues.filter(\.isLane)
        guard shards > configuration.names.shards, !lanes.isEmpty else { return }
        consumer.consume(configuration.consumed(lanes, shards: shards))
        for lane in lanes {
            for shard in 1...shards {
                consumer.setPrefetch(
                    configuration.prefetch(of: lane, shards: shards), ofQueue: lane.tagIndex(shard: shard))
            }
        }
    }

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

extension PipelineConfiguration {
    /// Brokers before RabbitMQ 4.3 ignore the timeout.
    private static let consumerArguments: AMQPFieldTable = [
        "x-consumer-timeout": .int64(Int64(acknowledgementTimeoutMilliseconds))
    ]

    /// Returns what a worker consumes of these queues. Shards beyond those of the configuration may be missing.
    package func consumed(_ queues: [JobQueue], shards: Int) -> [AMQPConsumedQueue] {
        queues.flatMap { queue -> [AMQPConsumedQueue] in
            guard case .lane(let lane) = queue else {
                return [
                    AMQPConsumedQueue(
                        name: names.queue(of: queue), prefetch: UInt16(clamping: firstPrefetch(of: queue)),
                        arguments: Self.consumerArguments, tagIndex: queue.tagIndex(shard: 1))
                ]
            }
            return (1...shards).map { shard in
                AMQPConsumedQueue(
                    name: names.queue(of: lane, shard: shard), prefetch: prefetch(of: queue, shards: shards),
                    arguments: Self.consumerArguments, tagIndex: queue.tagIndex(shard: shard),
                    isOptional: shard > names.shards)
            }
        }
    }
}
