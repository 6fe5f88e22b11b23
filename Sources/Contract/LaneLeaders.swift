package import AMQPClient

/// The distribution of a lane's queue leaders over the nodes of a broker. A value type without clock or I/O.
package enum LaneLeaders {
    /// Returns the lanes whose queue leaders are on fewer nodes than possible, each as the name of its first queue.
    /// RabbitMQ balances all queues together, so one node may lead all queues of a lane.
    ///
    /// - Parameters:
    ///   - leaders: the node that leads each queue, by the queue's name.
    ///   - nodes: the number of nodes.
    package static func crowded(_ sharding: AMQPSharding, leaders: [String: String], nodes: Int) -> [String] {
        sharding.ways.compactMap { way in
            let found = way.queues.prefix(sharding.width).compactMap { leaders[$0] }
            return Set(found).count < min(found.count, nodes) ? way.queues.first : nil
        }
    }
}
