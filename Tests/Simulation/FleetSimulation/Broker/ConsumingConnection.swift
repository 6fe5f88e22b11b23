import AMQPClient
import Contract
import DeliveryPipeline

/// A consuming connection of a simulated worker, in place of an `AMQPConsumer`.
///
/// | state | what ends it |
/// |---|---|
/// | closed | a successful attempt to connect, while the broker is reachable |
/// | open | a cut, or the end of the worker |
/// | ended | nothing; the worker has stopped or died |
final class ConsumingConnection {
    let queues: [JobQueue]
    private let configuration: PipelineConfiguration
    private let network: Network
    private let deliver: (AMQPConsumerEvent) -> Void
    private(set) var epoch: UInt32 = 0
    private var consumers: [UInt16: ModelConsumer] = [:]
    private var isOpen = false
    /// Whether the worker receives no further deliveries, because it drains.
    private var hasStopped = false
    private var hasEnded = false
    private var priority: Int32 = 0
    private var arriving: [AMQPDelivery] = []

    init(
        _ queues: [JobQueue], _ configuration: PipelineConfiguration, _ network: Network,
        deliver: @escaping (AMQPConsumerEvent) -> Void
    ) {
        self.queues = queues
        self.configuration = configuration
        self.network = network
        self.deliver = deliver
    }

    var worker: String { configuration.worker }

    func note(_ line: @autoclosure () -> String) { network.timeline.note(line()) }

    /// Connects. Retries until the broker is reachable.
    func connect() {
        guard !isOpen, !hasStopped, !hasEnded else { return }
        network.timeline.after(microseconds: network.delay()) { [self] in
            guard !isOpen, !hasStopped, !hasEnded else { return }
            guard network.isReachable else {
                deliver(.disconnected(AMQPError(.connectionFailed, "the broker is unreachable")))
                network.timeline.after(milliseconds: network.dice.number(500...5_000)) { [self] in connect() }
                return
            }
            isOpen = true
            epoch += 1
            let consumed = configuration.consumed(queues)
            deliver(.connected(queues: consumed.map(\.name)))
            for (queue, consumed) in zip(queues, consumed) {
                consumers[queue.tagIndex] = network.broker.consume(
                    consumed.name, tagIndex: queue.tagIndex, prefetch: Int(consumed.prefetch), priority: priority,
                    on: self)
            }
        }
    }

    /// Closes the connection. The broker and the worker notice it at once. The worker connects again after 0.2 to 2 s.
    func cut() {
        guard isOpen else { return }
        close()
        deliver(.disconnected(AMQPError(.connectionLost, "the connection was cut")))
        network.timeline.after(milliseconds: network.dice.number(200...2_000)) { [self] in connect() }
    }

    /// Closes the connection permanently, because the worker has stopped or died.
    func end() {
        hasEnded = true
        if isOpen { close() }
    }

    private func close() {
        isOpen = false
        arriving = []
        let ended = consumers.sorted { $0.key < $1.key }.map(\.value)
        consumers = [:]
        network.broker.end(ended)
    }

    /// Sends a delivery to the worker. Deliveries that are on the way at the same time arrive in one batch.
    func carry(_ delivery: AMQPDelivery) {
        arriving.append(delivery)
        guard arriving.count == 1 else { return }
        let epoch = epoch
        network.timeline.after(microseconds: network.delay()) { [self] in
            guard epoch == self.epoch, isOpen else { return }
            let all = arriving
            arriving = []
            for start in stride(from: 0, to: all.count, by: 256) {
                deliver(.deliveries(Array(all[start..<min(start + 256, all.count)])))
            }
        }
    }

    // MARK: Calls by the worker

    func acknowledge(_ tags: [AMQPDeliveryTag]) { settle(tags) { $0.acknowledge($1, of: $2) } }

    func reject(_ tag: AMQPDeliveryTag) { settle([tag]) { $0.reject($1, of: $2) } }

    private func settle(_ tags: [AMQPDeliveryTag], _ how: @escaping (ModelBroker, UInt64, ModelConsumer) -> Void) {
        network.timeline.after(microseconds: network.delay()) { [self] in
            for tag in tags where tag.epoch == epoch && isOpen {
                if let consumer = consumers[tag.queueIndex] { how(network.broker, tag.number, consumer) }
            }
        }
    }

    /// Cancels all consumers. Deliveries that are on the way still arrive, and deliveries can still be settled.
    func stopConsuming() {
        hasStopped = true
        for queue in queues { change(0, of: queue) }
    }

    func setPrefetch(_ prefetch: Int, of queue: JobQueue) { if !hasStopped { change(prefetch, of: queue) } }

    /// Replaces all consumers, because the priority belongs to a consumer. Earlier deliveries can still be settled.
    func setPriority(_ priority: Int32) {
        self.priority = priority
        network.timeline.after(microseconds: network.delay()) { [self] in
            guard isOpen else { return }
            // The queue of the suspects keeps its consumer.
            for (tagIndex, consumer) in consumers.sorted(by: { $0.key < $1.key })
            where tagIndex != JobQueue.suspects.tagIndex {
                network.broker.setPriority(priority, of: consumer)
            }
        }
    }

    private func change(_ prefetch: Int, of queue: JobQueue) {
        network.timeline.after(microseconds: network.delay()) { [self] in
            guard isOpen, let consumer = consumers[queue.tagIndex] else { return }
            network.broker.setPrefetch(prefetch, of: consumer)
        }
    }
}
