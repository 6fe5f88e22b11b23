package import AMQPClient

/// Which nodes of a broker lead the queues of each lane. A value.
package enum LaneLeaders {
    /// RabbitMQ's own balance counts all queues alike, so the queues of a lane may well be led by one node.
    ///
    /// - Parameters:
    ///   - leaders: nodes, by queue.
    ///   - nodes: how many there are.
    /// - Returns: first queues of the lanes that fewer nodes lead than could.
    package static func crowded(_ spread: AMQPSpread, leaders: [String: String], nodes: Int) -> [String] {
        spread.ways.compactMap { way in
            let found = way.queues.prefix(spread.width).compactMap { leaders[$0] }
            return Set(found).count < min(found.count, nodes) ? way.queues.first : nil
        }
    }
}
