package import AMQPClient
import PushModel

/// The shards that exist beyond the configured number. A value type without clock or I/O.
package struct LeftShards: Sendable, Hashable {
    private let names: PipelineNames
    private let queues: [String: AMQPInspection.Queue]

    /// Returns a topology of all shards that may exist beyond the configured number.
    package static func all(_ names: PipelineNames) -> AMQPTopology {
        AMQPTopology(queues: shards(names).flatMap { shard in queues(names, shard).map { AMQPQueue(name: $0) } })
    }

    package init(_ names: PipelineNames, found queues: [String: AMQPInspection.Queue]) {
        (self.names, self.queues) = (names, queues)
    }

    /// Returns a description of the surplus shards, or `nil` if there are none.
    ///
    /// - Parameter isDeclared: whether workers declare the topology. If so, they unbind surplus shards.
    package func finding(isDeclared: Bool) -> String? {
        var found = Self.shards(names).flatMap { Self.queues(names, $0) }.filter { queues[$0] != nil }
        guard !found.isEmpty else { return nil }
        // Workers count shards in the same way.
        let read = Self.shards(names).prefix {
            queues[names.queue(of: Lane.allCases[Lane.allCases.count - 1], shard: $0)] != nil
        }
        let behind = Self.shards(names).dropFirst(read.count).flatMap { Self.queues(names, $0) }.filter {
            queues[$0] != nil
        }
        found.removeAll { behind.contains($0) }
        var sentences: [String] = []
        if !found.isEmpty {
            let why = isDeclared ? "which get no more jobs" : "which get jobs as long as they are bound"
            sentences.append(
                "queues beyond amqp.shards, \(why): \(told(found)); when all are empty, delete them, the highest "
                    + "number first")
        }
        if !behind.isEmpty {
            sentences.append(
                "queues after a gap in the numbers, which no worker consumes: \(told(behind)); raise amqp.shards until "
                    + "they are empty, or delete them")
        }
        return sentences.joined(separator: "; ")
    }

    private func told(_ names: [String]) -> String {
        names.map { "\($0) (\(queues[$0]?.messages ?? 0) waiting)" }.joined(separator: ", ")
    }

    private static func shards(_ names: PipelineNames) -> [Int] {
        Array((1...PipelineNames.mostShards).dropFirst(names.shards))
    }

    private static func queues(_ names: PipelineNames, _ shard: Int) -> [String] {
        Lane.allCases.map { names.queue(of: $0, shard: shard) }
    }
}
