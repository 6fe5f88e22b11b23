package import Logging
import Foundations

/// A publisher with its own connection and with publisher confirms.
///
/// Publications are delivered at least once. A publication is kept until the broker has confirmed, refused or returned
/// it. If the connection is lost before this result, the publication is published again, in order, so the broker may
/// receive it twice.
///
/// A message may fail because its exchange or queue is missing (404, 312). If the exchange is a part of the topology
/// that this publisher declares, the publisher declares the topology again and publishes the message a second time.
/// Only a second failure is reported. If the broker refuses the declaration, the publisher waits before it declares
/// again. During this back-off, it reports every such message after the first failure.
///
/// The publisher accepts any number of publications. Callers must limit publications, either by ``unconfirmedCount`` or
/// by the number of messages that they consume themselves. The publisher begins a chunk of messages only if the socket
/// has room, but then writes the chunk completely. A broker that stops reading therefore blocks the connection's
/// thread, not the callers. The connection to such a broker is closed after two heartbeat intervals.
///
/// Close the publisher when it is no longer needed. If it is released without a close, it closes itself without
/// waiting.
package final class AMQPPublisher: Sendable {
    /// A function that receives the publisher's events on the connection's thread. It must pass the event on and return
    /// at once, because the thread does nothing else meanwhile.
    package typealias EventHandler = @Sendable (AMQPPublisherEvent) -> Void

    private let thread: ConnectionThread<PublisherRole>
    private let configuration: AMQPConfiguration
    private let logger: Logger
    private let counter = PublicationCounter()
    private let introduction = BrokerIntroduction()
    private let makeRole:
        @Sendable (
            _ onEvent: @escaping EventHandler, _ onFirst: @escaping @Sendable (AMQPError?) -> Void
        ) -> PublisherRole

    /// Creates a publisher. It accepts publications at once, but connects only after ``start(_:)`` or
    /// ``connectOnce(_:)``.
    ///
    /// - Parameters:
    ///   - topology: the topology to declare after every connect.
    ///   - unconfirmedLimit: the maximum number of publications on the wire without a confirm. Further publications
    ///     wait in order.
    ///   - logger: the logger for connections and failures.
    /// - Throws: ``AMQPError/Code/invalidConfiguration`` naming the invalid setting, or
    ///   ``AMQPError/Code/connectionFailed`` if the process can't open another file descriptor.
    package init(
        configuration: AMQPConfiguration, topology: AMQPTopology = AMQPTopology(), unconfirmedLimit: Int = 4096,
        logger: Logger
    ) throws(AMQPError) {
        try configuration.validate()
        guard unconfirmedLimit > 0 else {
            throw AMQPError(.invalidConfiguration, "a publisher's limit of unconfirmed publications must be above zero")
        }
        self.configuration = configuration
        self.logger = logger
        thread = try ConnectionThread()
        let (counter, introduction) = (counter, introduction)
        makeRole = {
            PublisherRole(
                topology: topology, unconfirmedLimit: unconfirmedLimit, counter: counter, introduction: introduction,
                logger: logger, onEvent: $0, onFirst: $1)
        }
    }

    deinit {
        thread.requestClose(by: .now)
    }

    /// Starts connecting, and retries until the publisher is closed. Failures are logged and reported as events.
    package func start(_ onEvent: @escaping EventHandler) {
        start(mustConnectAtOnce: false, onEvent) { _ in }
    }

    /// Connects, and fails if none of the hosts can be used. After the first connection, the publisher reconnects in
    /// the same way as after ``start(_:)``.
    ///
    /// - Throws: the error of the last host, or ``AMQPError/Code/closed`` if the publisher was started or closed
    ///   before.
    package func connectOnce(_ onEvent: @escaping EventHandler = { _ in }) async throws(AMQPError) {
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
            name: "amqp-publisher", configuration: configuration, mustConnectAtOnce: mustConnectAtOnce, logger: logger
        ) { makeRole(onEvent, onFirst) }
        if !isStarted { onFirst(AMQPError(.closed, "the publisher was already started or closed")) }
    }

    /// The product and version that the broker reported at the last connect, or `nil` before the first connect.
    package var broker: String? { introduction.product }

    /// The number of publications without a confirm, refusal or return. They are waiting or on the wire.
    package var unconfirmedCount: Int { counter.value }

    /// Publishes messages in order, without waiting for the broker. This may be called from any thread. Events report
    /// the result of each publication by its id.
    ///
    /// - Returns: `false` if the publisher has closed. Then no publication was accepted.
    @discardableResult
    package func publish(_ publications: [AMQPPublication]) -> Bool {
        hand(over: publications, batch: nil)
    }

    /// Publishes messages and waits until the broker has confirmed, refused or returned all of them. The publisher
    /// sends no events for these messages.
    ///
    /// - Throws: the first refusal or return, after all messages have a result. If the publisher ends before that, the
    ///   error that ended it, or ``AMQPError/Code/closed``.
    package func publishAndWait(_ publications: [AMQPPublication]) async throws(AMQPError) {
        guard !publications.isEmpty else { return }
        let failure = await withCheckedContinuation { continuation in
            let batch = AwaitedBatch(count: publications.count) { continuation.resume(returning: $0) }
            if !hand(over: publications, batch: batch) {
                batch.fail(AMQPError(.closed, "the publisher has closed"))
            }
        }
        if let failure { throw failure }
    }

    /// Makes the publisher check that the broker still has the durable exchanges and queues of the topology. If one was
    /// deleted, the publisher logs `broker.queues.vanished`. If it declares the topology itself, it also declares the
    /// topology again, with its bindings.
    package func checkTopology() { _ = thread.send(.checkTopology) }

    private func hand(over publications: [AMQPPublication], batch: AwaitedBatch?) -> Bool {
        guard !publications.isEmpty else { return true }
        counter.add(publications.count)
        let isTaken = thread.send(.publish(publications, batch))
        if !isTaken { counter.subtract(publications.count) }
        return isTaken
    }

    /// Waits for up to `drain` until all publications have a result, and then closes the connection. Returns after the
    /// thread has ended. This takes at most a few seconds more, or longer if the thread must first finish an attempt to
    /// connect.
    ///
    /// - Returns: the number of publications without a result. The broker may have some of them.
    @discardableResult
    package func close(drain: Duration = .seconds(5)) async -> Int {
        let neverTaken = await thread.close(by: .now + drain)
        for case .publish(_, let batch) in neverTaken {
            batch?.fail(AMQPError(.closed, "the publisher was closed before it started"))
        }
        return counter.value
    }
}
