import AMQPClient
import Logging
import Threading

/// The messages of one queue, as they come, for a command. It holds a bounded number of bytes of them.
final class Deliveries: Sendable {
    /// nil: a moment has passed.
    typealias Stream = AsyncThrowingStream<AMQPDelivery?, any Error>

    private static let mostBytes = 32 << 20

    private final class Link: Sendable {
        let isConnected = Mutex(false)
        let hasAcknowledged = Mutex(false)
        let wasLost = Mutex(false)
        /// Why it was lost, where all ends with it.
        let loss = Mutex<AMQPError?>(nil)
    }

    let stream: Stream
    private let consumer: AMQPConsumer
    private let budget = AMQPByteBudget(limit: mostBytes)
    private let ticking: Task<Void, Never>
    private let link = Link()

    /// - Parameters:
    ///   - consumers: each of them takes up to 65,535 messages that are not acknowledged.
    ///   - endsWithConnection: true: a lost connection is an error, as what was delivered comes again; false: it is
    /// made
    ///     again.
    /// - Throws: when the broker can't be reached or refuses.
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

    /// It is out of memory now, so that others can come.
    func release(_ delivery: AMQPDelivery) {
        budget.release(delivery)
        consumer.readOn()
    }

    func acknowledge(_ delivery: AMQPDelivery) {
        link.hasAcknowledged.withLock { $0 = true }
        consumer.acknowledge([AMQPAcknowledgement(delivery.tag)])
    }

    /// The connection was lost once, and a queue that goes with it: what came meanwhile is not seen.
    var wasLost: Bool { link.wasLost.withLock { $0 } }

    /// The stream hands out all that it holds before it throws: none of that can be acknowledged, and all of it comes again.
    /// - Throws: why the connection was lost.
    func requireConnection() throws {
        if let error = link.loss.withLock({ $0 }) { throw error }
    }

    /// The broker requeues what is not acknowledged.
    func close() async {
        ticking.cancel()
        // Where nothing was said there is nothing to wait for.
        await consumer.close(timeout: link.hasAcknowledged.withLock { $0 } ? .seconds(5) : .zero)
    }
}
