import AMQPClient
import Logging
import Threading

/// The messages of one queue in order of arrival, for a command. The messages in memory have a bounded size.
final class Deliveries: Sendable {
    /// A stream of messages. It also has a `nil` every second, so that a reader can act while no message arrives.
    typealias Stream = AsyncThrowingStream<AMQPDelivery?, any Error>

    private static let mostBytes = 32 << 20

    private final class Link: Sendable {
        let isConnected = Mutex(false)
        let hasAcknowledged = Mutex(false)
        let wasLost = Mutex(false)
        /// The error that ended the connection, if the stream ends with the connection.
        let loss = Mutex<AMQPError?>(nil)
    }

    let stream: Stream
    private let consumer: AMQPConsumer
    private let budget = AMQPByteBudget(limit: mostBytes)
    private let ticking: Task<Void, Never>
    private let link = Link()

    /// Connects to the broker and starts consuming.
    /// - Parameters:
    ///   - consumers: the number of consumers. Each one receives up to 65,535 unacknowledged messages.
    ///   - endsWithConnection: whether a lost connection is an error, because the broker will redeliver the messages.
    ///     Otherwise the connection is established again.
    /// - Throws: the error of a broker that can't be reached or refuses the connection.
    init(
        of queue: String, topology: AMQPTopology = AMQPTopology(), broker: AMQPConfiguration, prefetch: UInt16 = .max,
        consumers: Int = 1, endsWithConnection: Bool, logger: Logger
    ) async throws {
        let (stream, continuation) = Stream.makeStream()
        self.stream = stream
        consumer = try AMQPConsumer(
            configuration: broker, topology: topology,
            queues: Array(repeating: AMQPConsumedQueue(name: queue, prefetch: prefetch), count: consumers),
            budget: budget, logger: logger)
        ticking = Task {
            while (try? await Task.sleep(for: .seconds(1))) != nil { continuation.yield(nil) }
        }
        do {
            try await consumer.connectOnce { [link] event in
                switch event {
                case .deliveries(let deliveries): for delivery in deliveries { continuation.yield(delivery) }
                case .connected: link.isConnected.withLock { $0 = true }
                case .disconnected(let error):
                    guard link.isConnected.withLock({ $0 }) else { return }
                    link.wasLost.withLock { $0 = true }
                    guard endsWithConnection else { return }
                    link.loss.withLock { $0 = $0 ?? error }
                    continuation.finish(throwing: error)
                case .closed(let error):
                    if let error, link.hasAcknowledged.withLock({ $0 }) { link.loss.withLock { $0 = $0 ?? error } }
                    continuation.finish()
                case .declaredAgain, .missing, .stopped: break
                }
            }
        } catch {
            ticking.cancel()
            throw error
        }
    }

    /// Records that a message is no longer in memory, so that further messages can be received.
    func release(_ delivery: AMQPDelivery) {
        budget.release(delivery)
        consumer.readOn()
    }

    func acknowledge(_ delivery: AMQPDelivery) {
        link.hasAcknowledged.withLock { $0 = true }
        consumer.acknowledge([AMQPAcknowledgement(delivery.tag)])
    }

    /// Whether the connection was lost at least once. A queue that belongs to the connection then missed the messages
    /// in between.
    var wasLost: Bool { link.wasLost.withLock { $0 } }

    /// Checks that the connection was not lost. After a loss, the stream still returns all its messages before it
    /// throws. They can't be acknowledged, and the broker redelivers them.
    /// - Throws: the error that ended the connection.
    func requireConnection() throws {
        if let error = link.loss.withLock({ $0 }) { throw error }
    }

    /// Closes the connection. The broker requeues all unacknowledged messages.
    func close() async {
        ticking.cancel()
        // If nothing was acknowledged, there is nothing to wait for.
        await consumer.close(timeout: link.hasAcknowledged.withLock { $0 } ? .seconds(5) : .zero)
    }
}
