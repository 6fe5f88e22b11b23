import AMQPClient
import Logging

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

    subscript(tag: AMQPDeliveryTag) -> JobSource { ofQueue[Int(tag.queueIndex) % ofQueue.count] }
    subscript(queue: JobQueue) -> JobSource { ofQueue[queue.index] }

    func acknowledge(_ acknowledgements: [AMQPAcknowledgement]) {
        for source in all { source.acknowledge(acknowledgements.filter { self[$0.tag] === source }) }
    }
}
