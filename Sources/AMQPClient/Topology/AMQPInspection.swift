/// What a look at exchanges and queues has found. Looking changes nothing.
public struct AMQPInspection: Sendable, Hashable {
    public struct Queue: Sendable, Hashable {
        /// Those that wait: what a consumer holds unacknowledged is not among them.
        public let messages: Int
        public let consumers: Int

        public init(messages: Int, consumers: Int) {
            self.messages = messages
            self.consumers = consumers
        }
    }

    /// What the broker calls itself, such as "RabbitMQ 4.0.5".
    public let broker: String
    /// Those that exist, by name.
    public internal(set) var queues: [String: Queue] = [:]
    /// What does not exist, as "queue <name>" or "exchange <name>".
    public internal(set) var missing: [String] = []
    /// Exchanges and queues that the user may not check, named like those in ``missing``. Since RabbitMQ 4.2.6 a check
    /// requires a permission on the name; 4.2.6 and 4.3.0 require the permission to configure.
    public internal(set) var unseen: [String] = []
    /// The broker's errors about exchanges and queues whose properties differ from the topology.
    public internal(set) var problems: [AMQPError] = []
    /// Queues that this user may not consume, of those that were tried.
    public internal(set) var unreadable: [String] = []

    /// Looks for the exchanges and queues of a topology, over a connection of its own.
    ///
    /// - Parameter comparesProperties: true: also whether they have the properties that they should have. The broker says
    ///   that only to who declares, so this needs the right to configure; declared again is only what was found.
    /// - Parameter readingFrom: queues of which it is tried whether they may be consumed. Nothing is delivered.
    /// - Throws: why the last host could not be asked.
    public static func look(
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
                let inspector = LookingDesk(link: link)
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
