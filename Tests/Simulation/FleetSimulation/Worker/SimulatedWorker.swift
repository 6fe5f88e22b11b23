import AMQPClient
import APNSOutput
import Contract
import DeliveryPipeline
import Logging
import PushModel
import Routing

/// A worker of a simulated fleet. The pipeline and the sending code are production code. The connections to the broker,
/// the database and the provider are simulated.
///
/// | state | next state |
/// |---|---|
/// | starting | running when the publishing connection is open, or dead |
/// | running | stopping or dead |
/// | stopping | dead when all jobs are settled or after the drain timeout |
/// | dead | none; calls by and events for a dead worker are ignored |
// why: unchecked, because one thread uses the whole simulation. The pipeline's effects must be sendable.
final class SimulatedWorker: @unchecked Sendable {
    /// The index of the connection that consumes each queue, by the queue's index.
    private static let sourceOfQueue = JobQueue.all.map { queue in
        JobQueue.connections.firstIndex { $0.contains(queue) } ?? 0
    }
    private static let drainTimeout: Int64 = 30_000

    let name: String
    private let fleet: Fleet
    private let network: Network
    private let output: SimulatedOutput
    private var sources: [ConsumingConnection] = []
    private var publisher: PublishingConnection?
    private var core: PipelineCore?
    private(set) var isDead = false
    private var snapshot: Snapshot
    /// The difference between the worker's clock and the true time, in milliseconds.
    let clockError: Int64
    private let configuration: PipelineConfiguration

    init(_ name: String, _ fleet: Fleet, _ dice: Dice, clockError: Int64) {
        self.name = name
        self.fleet = fleet
        self.clockError = clockError
        snapshot = fleet.snapshot
        network = Network(fleet.timeline, fleet.broker, dice.fork())
        let timeline = fleet.timeline
        let clock: @Sendable () -> Timestamp = { Fleet.timestamp(timeline.milliseconds + clockError) }
        output = SimulatedOutput(fleet.provider, fleet.timeline, dice.fork(), clock: clock)
        configuration = fleet.configuration(of: name)
        let core = PipelineCore(
            configuration: configuration, outputs: [RunningOutput(APNSPlugin(), output)],
            on: VirtualQueue(timeline: fleet.timeline), effects: effects(clock),
            logger: Logger(label: name) { _ in SwiftLogNoOpLogHandler() })
        self.core = core
        sources = JobQueue.connections.map { queues in
            ConsumingConnection(queues, configuration, network) { [weak self] event in
                guard self?.isDead == false else { return }
                core.received(event, of: queues)
            }
        }
        publisher = PublishingConnection(name, network) { [weak self] event in
            guard let self, !isDead else { return }
            // Consuming starts only when result events can be published.
            if case .connected = event { for source in sources { source.connect() } }
            core.received(event)
        }
    }

    func start() { publisher?.connect() }

    private func effects(_ clock: @escaping @Sendable () -> Timestamp) -> PipelineEffects {
        PipelineEffects(
            publish: { [weak self] in self?.alive?.publisher?.publish($0) },
            acknowledge: { [weak self] in self?.alive?.acknowledge($0.map(\.tag)) },
            reject: { [weak self] tag in self?.alive?.source(of: tag)?.reject(tag) },
            setPrefetch: { [weak self] prefetch, queue in
                self?.alive?.sources[Self.sourceOfQueue[queue.index]].setPrefetch(prefetch, of: queue)
            },
            setPriority: { [weak self] priority in
                for source in self?.alive?.sources ?? [] { source.setPriority(priority) }
            },
            release: { _ in },
            write: { [weak self] batch in
                self?.alive?.fleet.database.mark(batch.marks) { self?.alive?.core?.marksWritten(batch, count: $0) }
            },
            claim: { [weak self] batch in
                self?.alive?.fleet.database.claim(batch.requests) { self?.alive?.core?.claimed(batch, $0) }
            },
            lookUp: { _ in },
            wait: { [weak self] _, milliseconds, work in
                self?.fleet.timeline.after(milliseconds: Int64(milliseconds)) { if self?.isDead == false { work() } }
            },
            // A closure of the pipeline may still run after the worker has been deallocated.
            snapshot: { [weak self, empty = Snapshot(apps: [], credentials: [])] in self?.snapshot ?? empty },
            workers: { [weak self] in self?.fleet.knownWorkers },
            now: clock)
    }

    private var alive: SimulatedWorker? { isDead ? nil : self }

    private func source(of tag: AMQPDeliveryTag) -> ConsumingConnection? {
        sources[Self.sourceOfQueue[Int(tag.queueIndex)]]
    }

    private func acknowledge(_ tags: [AMQPDeliveryTag]) {
        for (place, source) in sources.enumerated() {
            let own = tags.filter { Self.sourceOfQueue[Int($0.queueIndex)] == place }
            if !own.isEmpty { source.acknowledge(own) }
        }
    }

    // MARK: Faults and changes

    /// Loads the fleet's current apps and credentials.
    func loadSnapshot() {
        guard !isDead else { return }
        snapshot = fleet.snapshot
        output.credentialsChanged(to: snapshot.credentialIDs)
    }

    func cutConsumer(_ index: Int) { if !isDead { sources[index % sources.count].cut() } }

    func cutPublisher() { if !isDead { publisher?.cut() } }

    func loseProvider() { if !isDead { output.loseConnections() } }

    /// Cuts all connections to the broker.
    func cutBroker() {
        guard !isDead else { return }
        for source in sources { source.cut() }
        publisher?.cut()
    }

    /// Whether new connections to the broker succeed.
    var reachesBroker: Bool {
        get { network.isReachable }
        set { network.isReachable = newValue }
    }

    /// Whether new connections to the provider succeed.
    var reachesProvider: Bool {
        get { output.isProviderReachable }
        set { output.isProviderReachable = newValue }
    }

    /// Kills the worker. The broker requeues its unsettled deliveries. Pushes that the provider has accepted stay
    /// accepted.
    func kill() {
        guard !isDead else { return }
        isDead = true
        for source in sources { source.end() }
        publisher?.end()
        output.end()
        core = nil
    }

    /// Drains and then ends the worker, as SIGTERM does.
    func stop() {
        guard !isDead, let core else { return }
        for source in sources { source.stopConsuming() }
        output.stopSending()
        core.drain { [weak self] in
            // The worker ends after a short time, so that its last acknowledgements reach the broker.
            self?.fleet.timeline.after(milliseconds: 50) { self?.kill() }
        }
        fleet.timeline.after(milliseconds: Self.drainTimeout) { [weak self] in self?.kill() }
    }
}
