import AMQPClient
import Logging
import Foundations

/// A consumer of one queue for a command. It yields the messages in order of arrival and limits their total size in
/// memory.
final class Deliveries: Sendable {
    /// A stream of messages. It also yields `nil` every second, so that its reader can act while no message arrives.
    typealias Stream = AsyncThrowingStream<AMQPDelivery?, any Error>

    private static let mostBytes = 32 << 20

    private final class Link: Sendable {
        let isConnected = Mutex(false)
        let hasAcknowledged = Mutex(false)
        let wasLost = Mutex(false)
        /// The error that ended the connection, or `nil` if no error has ended it.
        let loss = Mutex<AMQPError?>(nil)
    }

    let stream: Stream
    private let consumer: AMQPConsumer
    private let budget = AMQPByteBudget(limit: mostBytes)
    private let ticking: Task<Void, Never>
    private let link = Link()

    /// Connects to the broker and starts to consume the queue.
    ///
    /// - Parameters:
    ///   - consumers: the number of consumers. Each consumer has at most `prefetch` unacknowledged messages.
    ///   - endsWithConnection: whether a lost connection is an error, because the broker will redeliver the messages.
    ///     Otherwise the connection is established again.
    /// - Throws: an error if the broker can't be reached or refuses the connection.
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
                case .stopped: break
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

    /// Whether the connection was lost at least once. An exclusive queue has then missed the messages that were
    /// published during the interruption.
    var wasLost: Bool { link.wasLost.withLock { $0 } }

    /// Throws an error if the connection was lost and is not established again. The stream yields all messages received
    /// before the loss, but they can no longer be acknowledged, and the broker redelivers them.
    ///
    /// - Throws: the error that ended the connection.
    func requireConnection() throws {
        if let error = link.loss.withLock({ $0 }) { throw error }
    }

    /// Closes the connection. The broker then requeues all unacknowledged messages.
    func close() async {
        ticking.cancel()
        // If nothing was acknowledged, closing need not wait for acknowledgements to be sent.
        await consumer.close(timeout: link.hasAcknowledged.withLock { $0 } ? .seconds(5) : .zero)
    }
}
