public import Logging
import Threading

/// Publishes with publisher confirms over a connection of its own.
///
/// At least once: a publication is kept until the broker has answered for it, and is published again, in order, when
/// the connection was lost before that. So the broker may get it twice.
///
/// If the exchange or queue of a message is missing (404, 312), and this publisher declares the exchange as a part of
/// its topology, the publisher declares the topology again and publishes the message a second time. Only a second
/// refusal is reported. If the broker refuses the declaration, the publisher reports every such message at once until
/// it declares again, which it does with back-off.
///
/// The publisher takes whatever it is given: bound what you hand over by ``unconfirmedCount`` or by what you consume.
/// It writes only what the socket takes, but the rest of a message that was begun is written whatever the socket says:
/// a broker that stops reading then holds the thread, not its callers, and is cut off after two heartbeats.
///
/// Close it when done; one that is dropped closes itself without waiting.
public final class AMQPPublisher: Sendable {
    /// Is told what happens, on the connection's thread, which does nothing else meanwhile: hand the batch over and
    /// return.
    public typealias EventHandler = @Sendable (AMQPPublisherEvent) -> Void

    private let thread: ConnectionThread<PublisherRole>
    private let configuration: AMQPConfiguration
    private let logger: Logger
    private let counter = PublicationCounter()
    private let introduction = BrokerIntroduction()
    private let makeRole:
        @Sendable (
            _ onEvent: @escaping EventHandler, _ onFirst: @escaping @Sendable (AMQPError?) -> Void
        ) -> PublisherRole

    /// Connects only when started; publications may be handed over before.
    ///
    /// - Parameters:
    ///   - topology: declared after every connect.
    ///   - unconfirmedLimit: how many publications may be on the wire without a confirm; the rest waits in order.
    /// - Throws: ``AMQPError/Code/invalidConfiguration`` naming the setting.
    public init(
        configuration: AMQPConfiguration, topology: AMQPTopology = AMQPTopology(), unconfirmedLimit: Int = 4096,
        logger: Logger
    ) throws(AMQPError) {
        try configuration.validate()
        guard unconfirmedLimit > 0 else {
            throw AMQPError(.invalidConfiguration, "A publisher's limit of unconfirmed publications must be above zero")
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

    /// Starts connecting, and keeps trying until closed. Failures are logged and reported as events.
    public func start(_ onEvent: @escaping EventHandler) {
        start(mustConnectAtOnce: false, onEvent) { _ in }
    }

    /// Connects; fails if no host of the list can be used at once. Once connected, it recovers like ``start(_:)``.
    ///
    /// - Throws: why the last host could not be used; ``AMQPError/Code/closed`` if it was started or closed before.
    public func connectOnce(_ onEvent: @escaping EventHandler = { _ in }) async throws(AMQPError) {
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
        if !isStarted { onFirst(AMQPError(.closed, "This publisher was started or closed before")) }
    }

    /// The broker's product and version as it said itself when it was last connected to; nil: not yet.
    public var broker: String? { introduction.product }

    /// Publications without a verdict: waiting or on the wire.
    public var unconfirmedCount: Int { counter.value }

    /// Hands publications over, in order, from any thread. An event with its id says what became of each.
    ///
    /// - Returns: false, and nothing was taken, if the publisher has closed.
    @discardableResult
    public func publish(_ publications: [AMQPPublication]) -> Bool {
        hand(over: publications, batch: nil)
    }

    /// Publishes and waits until the broker has answered for all of them. Their ids are not in the events.
    ///
    /// - Throws: the first refusal or return, once all have their answer; ``AMQPError/Code/closed`` if the publisher is
    ///   closed before.
    public func publishAndWait(_ publications: [AMQPPublication]) async throws(AMQPError) {
        guard !publications.isEmpty else { return }
        let failure = await withCheckedContinuation { continuation in
            let batch = AwaitedBatch(count: publications.count) { continuation.resume(returning: $0) }
            if !hand(over: publications, batch: batch) {
                batch.fail(AMQPError(.closed, "The publisher has closed"))
            }
        }
        if let failure { throw failure }
    }

    /// Tells once more how many queues each way of the topology's spread has, as others may have made some.
    public func look() { _ = thread.send(.look) }

    /// Checks that the broker still has the durable exchanges and queues of the topology. If one was deleted, this logs
    /// `broker.queues.vanished` and declares the topology again, with its bindings.
    public func checkTopology() { _ = thread.send(.checkTopology) }

    /// Declares the topology again, unless an operator declares it. Call this when another client may have declared a
    /// part of the topology without its bindings.
    public func declareAgain() { _ = thread.send(.declare) }

    private func hand(over publications: [AMQPPublication], batch: AwaitedBatch?) -> Bool {
        guard !publications.isEmpty else { return true }
        counter.add(publications.count)
        let isTaken = thread.send(.publish(publications, batch))
        if !isTaken { counter.subtract(publications.count) }
        return isTaken
    }

    /// Waits until all publications have a verdict, at most for `drain`; then closes the connection and returns when
    /// the thread has ended, a few seconds later at most.
    ///
    /// - Returns: how many publications got no verdict. The broker may have some of them.
    @discardableResult
    public func close(drain: Duration = .seconds(5)) async -> Int {
        let neverTaken = await thread.close(by: .now + drain)
        for case .publish(_, let batch) in neverTaken {
            batch?.fail(AMQPError(.closed, "The publisher was closed before it started"))
        }
        return counter.value
    }
}
