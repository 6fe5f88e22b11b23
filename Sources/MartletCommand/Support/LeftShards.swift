import AMQPClient
import DeliveryPipeline
import PushModel

/// Queues of lanes that were spread over more of them than the configuration says: they get no jobs any more, and workers read
/// what they have.
struct LeftShards {
    /// With what waits in each.
    private(set) var queues: [(name: String, messages: Int)] = []

    /// Looks for the next ones until there are none: what is not there makes an error in the broker's log.
    static func find(_ names: PipelineNames, on broker: AMQPConfiguration) async throws(AMQPError) -> LeftShards {
        var left = LeftShards()
        var shard = names.shards + 1
        while shard <= PipelineNames.mostShards {
            let queues = Lane.allCases.map { AMQPQueue(name: names.queue(of: $0, shard: shard)) }
            let found = try await AMQPInspection.look(at: AMQPTopology(queues: queues), on: broker)
            guard !found.queues.isEmpty else { break }
            left.queues += found.queues.sorted { $0.key < $1.key }.map { ($0.key, $0.value.messages) }
            shard += 1
        }
        return left
    }

    var finding: String? {
        guard !queues.isEmpty else { return nil }
        let told = queues.map { "\($0.name) (\($0.messages) waiting)" }.joined(separator: ", ")
        return
            "more queues than amqp.shards says, which get no jobs any more: \(told); once all are empty, delete them, the "
            + "highest number first"
    }
}
