package import Logging

/// A consumer of queues. It has its own connection, and a channel and a prefetch for each queue.
///
/// If the connection is lost, the consumer connects to the next host after a random back-off of up to 30 seconds. Then
/// it declares the topology and consumes the queues again. Deliveries are acknowledged only when the caller requests
/// it.
///
/// Messages arrive in batches until `prefetch` deliveries of a queue are unacknowledged or the byte budget is used up.
///
/// Close the consumer when it is no longer needed. If it is released without a close, it closes itself without waiting.
package final class AMQPConsumer: Sendable {
    /// A function that receives the consumer's events on the connection's thread. It must pass the event on and return
    /// at once, because the thread does nothing else meanwhile. If it takes longer than the heartbeat interval, the
    /// broker may close the connection.
    package typealias EventHandler = @Sendable (AMQPConsumerEvent) -> Void

    static let largestBatch = 256

    private let thread: ConnectionThread<ConsumerRole>
    private let configuration: AMQPConfiguration
    private let logger: Logger
    private let makeRole:
        @Sendable (
            _ onEvent: @escaping EventHandler, _ onFirst: @escaping @Sendable (AMQPError?) -> Void
        ) -> ConsumerRole

    /// Creates a consumer. It connects only after ``start(_:)`` or ``connectOnce(_:)``.
    ///
    /// - Parameters:
    ///   - topology: the topology to declare after every connect.
    ///   - queues: the queues to consume, from 1 to 1,000.
    ///   - budget: the limit of bytes in unprocessed deliveries, or `nil` if only the prefetch limits deliveries. While
    ///     the budget is used up, the consumer reads only a limited amount after each
    ///     ``AMQPConfiguration/longestPause``, so it may notice a cancellation by the broker late.
    ///   - logger: the logger for connections and failures.
    /// - Throws: ``AMQPError/Code/invalidConfiguration`` naming the invalid setting, or
    ///   ``AMQPError/Code/connectionFailed`` if the process can't open another file descriptor.
    package init(
        configuration: AMQPConfiguration, topology: AMQPTopology = AMQPTopology(), queues: [AMQPConsumedQueue],
        budget: AMQPByteBudget? = nil, logger: Logger
    ) throws(AMQPError) {
        try configuration.validate()
        guard (1...1000).contains(queues.count) else {
            throw AMQPError(.invalidConfiguration, "a consumer needs 1 to 1000 queues")
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

    /// Starts connecting, and retries until the consumer is stopped or closed. Failures are logged and reported as
    /// events.
    package func start(_ onEvent: @escaping EventHandler) {
        start(mustConnectAtOnce: false, onEvent) { _ in }
    }

    /// Connects, and fails if none of the hosts can be used. After the first connection, the consumer reconnects in the
    /// same way as after ``start(_:)``.
    ///
    /// - Throws: the error of the last host, or ``AMQPError/Code/closed`` if the consumer was started or closed before.
    package func connectOnce(_ onEvent: @escaping EventHandler) async throws(AMQPError) {
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
        if !isStarted { onFirst(AMQPError(.closed, "the consumer was already started or closed")) }
    }

    /// Acknowledges deliveries. This may be called from any thread and in any order. Where possible, one `basic.ack`
    /// with the `multiple` flag covers several of them. A repeated acknowledgement is ignored, and so is an
    /// acknowledgement of a delivery from a lost connection.
    package func acknowledge(_ acknowledgements: [AMQPAcknowledgement]) {
        if !acknowledgements.isEmpty { _ = thread.send(.acknowledge(acknowledgements)) }
    }

    /// Rejects deliveries. The broker requeues them or sends them to the queue's dead-letter exchange. Without such an
    /// exchange, it drops them.
    package func reject(_ tags: [AMQPDeliveryTag], requeue: Bool) {
        if !tags.isEmpty { _ = thread.send(.reject(tags, requeue: requeue)) }
    }

    /// Changes the prefetch of a queue, for this connection and later ones. Earlier unacknowledged deliveries can
    /// exceed a lower prefetch. If there are several calls, the last one applies, even if the connection was lost
    /// meanwhile.
    ///
    /// - Parameter tagIndex: the number of the queue in delivery tags, see ``AMQPConsumedQueue/tagIndex``.
    package func setPrefetch(_ prefetch: UInt16, ofQueue tagIndex: UInt16) {
        _ = thread.send(.setPrefetch(prefetch, tagIndex: tagIndex))
    }

    /// Changes the priority of this consumer for some of its queues, for this connection and later ones. The broker
    /// delivers to consumers with a lower priority only while those with a higher priority cannot receive. The initial
    /// priority is 0. Earlier unacknowledged deliveries do not count towards the prefetch after a change.
    ///
    /// - Parameter tagIndices: the numbers of the queues in delivery tags, see ``AMQPConsumedQueue/tagIndex``.
    package func setPriority(_ priority: Int32, ofQueues tagIndices: Set<UInt16>) {
        _ = thread.send(.setPriority(priority, tagIndices: tagIndices))
    }

    /// Makes the consumer check its byte budget and resume reading. Call this after releasing bytes of deliveries that
    /// are not acknowledged yet.
    package func readOn() { thread.wakeUp.signal() }

    /// Stops deliveries. ``AMQPConsumerEvent/stopped`` follows the last delivery. The connection stays open for
    /// acknowledgements. If the connection is lost after this call, the consumer does not reconnect.
    package func stopConsuming() {
        _ = thread.send(.stop)
    }

    /// Sends the pending acknowledgements, closes the connection, and returns when the thread has ended. This takes at
    /// most `timeout` plus a few seconds, or longer if the thread must first finish an attempt to connect. The broker
    /// requeues unacknowledged deliveries.
    package func close(timeout: Duration = .seconds(5)) async {
        _ = await thread.close(by: .now + timeout)
    }
}
