/// The result of an inspection of exchanges and queues. An inspection changes nothing.
package struct AMQPInspection: Sendable, Hashable {
    package struct Queue: Sendable, Hashable {
        /// The number of messages that are ready for delivery. Unacknowledged messages are not counted.
        package let messages: Int
        package let consumers: Int

        package init(messages: Int, consumers: Int) {
            self.messages = messages
            self.consumers = consumers
        }
    }

    /// The product and version that the broker reports, such as "RabbitMQ 4.0.5".
    package let broker: String
    /// The queues that exist, by name.
    package internal(set) var queues: [String: Queue] = [:]
    /// The exchanges and queues that do not exist, as "queue <name>" or "exchange <name>".
    package internal(set) var missing: [String] = []
    /// The exchanges and queues that the user may not check, named as in ``missing``. Since RabbitMQ 4.2.6 a check
    /// requires a permission on the name. RabbitMQ 4.2.6 and 4.3.0 require the permission to configure.
    package internal(set) var unseen: [String] = []
    /// The broker's other errors about exchanges and queues, for example because their properties differ from the
    /// topology.
    package internal(set) var problems: [AMQPError] = []
    /// The queues that were checked and that the user may not consume.
    package internal(set) var unreadable: [String] = []

    /// Inspects the exchanges and queues of a topology over a separate connection.
    ///
    /// - Parameters:
    ///   - topology: the exchanges and queues to look for.
    ///   - configuration: the broker to connect to.
    ///   - comparesProperties: whether to also compare the properties of existing objects. The broker does this only
    ///     for a declaration, so the user needs the permission to configure. Only existing objects are declared again.
    ///   - queues: the queues for which to check whether the user may consume them. The check delivers no messages.
    /// - Throws: the error of the last host.
    package static func look(
        at topology: AMQPTopology, on configuration: AMQPConfiguration, comparesProperties: Bool = false,
        readingFrom queues: [String] = []
    ) async throws(AMQPError) -> AMQPInspection {
        try configuration.validate()
        let result = await withCheckedContinuation { continuation in
            do throws(AMQPError) {
                try startThread(name: "amqp-look") {
                    continuation.resume(
                        returning: Result { () throws(AMQPError) in
                            try inspect(topology, configuration, comparesProperties, queues)
                        })
                }
            } catch {
                continuation.resume(returning: Result<AMQPInspection, AMQPError>.failure(error))
            }
        }
        return try result.get()
    }

    private static func inspect(
        _ topology: AMQPTopology, _ configuration: AMQPConfiguration, _ comparesProperties: Bool, _ queues: [String]
    ) throws(AMQPError) -> AMQPInspection {
        var failure = AMQPError(.invalidConfiguration, "AMQP configuration: no host")
        for endpoint in configuration.endpoints {
            do throws(AMQPError) {
                let link = try BrokerLink.open(to: endpoint, configuration)
                defer { link.close() }
                let inspector = BrokerInspector(link: link)
                var found = try inspector.look(at: topology, comparesProperties: comparesProperties)
                for queue in queues where !found.missing.contains("queue \(queue)") {
                    try inspector.tryToConsume(queue, &found)
                }
                return found
            } catch {
                failure = error
            }
        }
        throw failure
    }
}
