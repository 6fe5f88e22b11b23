import AMQPClient
import Contract
import Logging

/// The consuming connections of a worker.
struct JobSources: Sendable {
    /// The connections, in the order of `JobQueue.connections`.
    let all: [JobSource]
    /// The connection of each queue, by the queue's index.
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
