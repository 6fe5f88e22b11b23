public import Logging

/// Consumes queues over a connection of its own, with one channel and one prefetch for each queue.
///
/// A lost connection is made again, with back-off (0.5 to 30 s, random), at the next host; then the topology is
/// declared and the queues are consumed as before. Nothing is acknowledged unless the caller says so.
///
/// Messages keep coming in batches until `prefetch` of a queue are open, or the budget of bytes is used up.
///
/// Close it when done; one that is dropped closes itself without waiting.
public final class AMQPConsumer: Sendable {
    /// Is told what happens, on the connection's thread, which does nothing else meanwhile: hand the batch over and
    /// return. Longer than a heartbeat, and the broker takes this consumer for dead.
    public typealias EventHandler = @Sendable (AMQPConsumerEvent) -> Void

    static let largestBatch = 256

    private let thread: ConnectionThread<ConsumerRole>
    private let configuration: AMQPConfiguration
    private let logger: Logger
    private let makeRole:
        @Sendable (
            _ onEvent: @escaping EventHandler, _ onFirst: @escaping @Sendable (AMQPError?) -> Void
        ) -> ConsumerRole

    /// Connects only when started.
    ///
    /// - Parameters:
    ///   - topology: declared after every connect, except its spread, which only publishers declare.
    ///   - queues: at most 1,000.
    ///   - budget: how many bytes may be held. While it is used up nothing is read, not even that a consumer is
    ///     cancelled; nil: prefetch is the only bound.
    /// - Throws: ``AMQPError/Code/invalidConfiguration`` naming the setting.
    public init(
        configuration: AMQPConfiguration, topology: AMQPTopology = AMQPTopology(), queues: [AMQPConsumedQueue],
        budget: AMQPByteBudget? = nil, logger: Logger
    ) throws(AMQPError) {
        try configuration.validate()
        guard (1...1000).contains(queues.count) else {
            throw AMQPError(.invalidConfiguration, "A consumer needs 1 to 1000 queues")
        }
        self.configuration = configuration
        self.logger = logger
        thread = try ConnectionThread()
        makeRole = {
            ConsumerRole(
                topology: topology, queues: queues, budget: budget, logger: logger, onEvent: $0, onFirst: $1)
        }
    }

    deinit {
        thread.requestClose(by: .now)
    }

    /// Starts connecting, and keeps trying until closed. Failures are logged and reported as events.
    public func start(_ onEvent: @escaping EventHandler) {
        start(mustConnectAtOnce: false, onEvent) { _ in }
    }

    /// Connects; fails if no host of the list can be used at once. Once connected, it recovers like ``start(_:)``.
    ///
    /// - Throws: why the last host could not be used; ``AMQPError/Code/closed`` if it was started or closed before.
    public func connectOnce(_ onEvent: @escaping EventHandler) async throws(AMQPError) {
        let failure = await withCheckedContinuation { continuation in
            start(mustConnectAtOnce: true, onEvent) { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }

    private func start(
        mustConnectAtOnce: Bool, _ onEvent: @escaping EventHandler, onFirst: @escaping @Sendable (AMQPError?) -> Void
    ) {
        let makeRole = makeRole
        let isStarted = thread.start(
            name: "amqp-consumer", configuration: configuration, mustConnectAtOnce: mustConnectAtOnce, logger: logger
        ) { makeRole(onEvent, onFirst) }
        if !isStarted { onFirst(AMQPError(.closed, "This consumer was started or closed before")) }
    }

    /// Lets the broker forget deliveries. From any thread, in any order: they are put together into multiples where
    /// possible, and one that is repeated or belongs to a lost connection is left out.
    public func acknowledge(_ acknowledgements: [AMQPAcknowledgement]) {
        if !acknowledgements.isEmpty { _ = thread.send(.acknowledge(acknowledgements)) }
    }

    /// Hands deliveries back: into the queue, or to its dead-letter exchange (without one, they are dropped).
    public func reject(_ tags: [AMQPDeliveryTag], requeue: Bool) {
        if !tags.isEmpty { _ = thread.send(.reject(tags, requeue: requeue)) }
    }

    /// Lets so many deliveries of a queue be open, over this connection and those that follow. Deliveries that are open beyond it stay open. Of several calls the last one counts, whatever happens to
    /// the connection.
    ///
    /// - Parameter tagIndex: what tags name the queue by.
    public func setPrefetch(_ prefetch: UInt16, ofQueue tagIndex: UInt16) {
        _ = thread.send(.setPrefetch(prefetch, tagIndex: tagIndex))
    }

    /// Consumes these too from now on, over the connection that there is and those that follow; not those that it does. Of those
    /// that were missing it finds out whether they still are.
    public func consume(_ more: [AMQPConsumedQueue]) {
        if !more.isEmpty { _ = thread.send(.consume(more)) }
    }

    /// Reads on, after bytes of the budget were released for what is not acknowledged.
    public func readOn() { thread.wakeUp.signal() }

    /// Takes no more deliveries; ``AMQPConsumerEvent/stopped`` comes after the last. The connection stays open for
    /// acknowledgements; lost from then on, it is not made again.
    public func stopConsuming() {
        _ = thread.send(.stop)
    }

    /// Sends what was acknowledged before, closes the connection, and returns when the thread has ended, after
    /// `timeout` and a few seconds at the latest. The broker requeues open deliveries.
    public func close(timeout: Duration = .seconds(5)) async {
        _ = await thread.close(by: .now + timeout)
    }
}
