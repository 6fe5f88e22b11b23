import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Routing
import RoutingTestSupport

/// A simulated fleet: workers, broker, database, provider, and the apps and credentials of its tenants.
final class Fleet {
    /// The true time at the start of each history, in milliseconds since 1970.
    private static let start: Int64 = 1_800_000_000_000

    let timeline: Timeline
    let broker: ModelBroker
    let database: ModelDatabase
    let provider: ModelProvider
    private let dice: Dice
    private let ids: Dice
    private let names = PipelineNames()
    private(set) var workers: [SimulatedWorker] = []
    private(set) var snapshot: Snapshot
    private(set) var tenants: [Tenant]
    private var started = 0
    /// The faults that have begun and not ended.
    private var conditions: [Condition] = []

    static func timestamp(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: start + milliseconds) }

    init(_ tenants: [Tenant], _ timeline: Timeline, _ dice: Dice) {
        self.tenants = tenants
        self.timeline = timeline
        self.dice = dice
        ids = dice.fork()
        broker = ModelBroker(PipelineConfiguration(worker: "topology").topology, timeline)
        database = ModelDatabase(timeline, dice.fork())
        provider = ModelProvider(tenants, timeline, dice.fork())
        snapshot = Self.snapshot(tenants)
    }

    private static func snapshot(_ tenants: [Tenant]) -> Snapshot {
        Snapshot(
            apps: tenants.map(\.app),
            credentials: Set(tenants.map(\.credential)).sorted().map {
                .opened(.sample($0, .token, team: Tenant.team(of: $0)))
            })
    }

    /// The time during which a push is retried, in seconds. It is shorter than the default, so that histories end soon.
    static let maximumAge = 7_200

    func configuration(of worker: String) -> PipelineConfiguration {
        var configuration = PipelineConfiguration(worker: worker, retry: RetryPolicy(maximumAge: Self.maximumAge))
        configuration.makeID = { [ids] in ids.uuid() }
        return configuration
    }

    /// The number of workers according to the database, or `nil` while the database is unavailable.
    var knownWorkers: Int? { database.isAvailable ? max(1, workers.count { !$0.isDead }) : nil }

    var living: [SimulatedWorker] { workers.filter { !$0.isDead } }

    @discardableResult
    func startWorker(clockError: Int64 = 0) -> SimulatedWorker {
        started += 1
        let worker = SimulatedWorker("push-\(started)", self, dice.fork(), clockError: clockError)
        workers.append(worker)
        worker.start()
        return worker
    }

    /// Changes a tenant. Each worker loads the change within a second.
    func change(_ tenant: Int, _ change: (inout Tenant) -> Void) {
        change(&tenants[tenant])
        snapshot = Self.snapshot(tenants)
        for worker in living { timeline.after(milliseconds: dice.number(10...1_000)) { worker.loadSnapshot() } }
    }

    func begin(_ condition: Condition) {
        conditions.append(condition)
        apply(conditions)
    }

    func end(_ condition: Condition) {
        conditions.removeAll { $0 === condition }
        apply(conditions)
    }

    /// Adds a line to the history's timeline.
    func note(_ line: @autoclosure () -> String) { timeline.note(line()) }

    /// Publishes a message to the jobs exchange.
    ///
    /// - Returns: Whether the broker has confirmed the message.
    func publish(_ body: [UInt8], lane: Lane, id: String) -> Bool {
        let properties = AMQPProperties(
            messageID: id, timestamp: UInt64(Self.timestamp(timeline.milliseconds).seconds))
        return broker.publish(
            ModelMessage(exchange: names.jobs, routingKey: lane.rawValue, properties: properties, body: body),
            from: "publisher")
            == .confirmed
    }

    /// Sets the maximum length of a lane's queue, or removes it if `length` is `nil`.
    func limit(_ lane: Lane, to length: Int?) { broker.queues[names.queue(of: lane)]?.maximumLength = length }

    /// Calls a function with each result event.
    func readResults(_ reader: @escaping (ModelMessage) -> Void) { broker.read(names.results, reader) }
}
