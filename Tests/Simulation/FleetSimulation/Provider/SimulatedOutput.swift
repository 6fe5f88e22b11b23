import APNSOutput
import Logging
import PushModel
import PushSending

/// The APNs output of a simulated worker. Only the connections are simulated. The requests, the interpretation of
/// answers, the health and the queues are production code.
// why: unchecked, because one thread uses the whole simulation.
final class SimulatedOutput: Output, @unchecked Sendable {
    private struct Entry {
        let pool: SimulatedPool
        let dispatcher: CredentialDispatcher
    }

    private let provider: ModelProvider
    private let timeline: Timeline
    private let dice: Dice
    private let clock: @Sendable () -> Timestamp
    private var entries: [Credential.ID: Entry] = [:]
    private var isStopped = false
    /// Whether this worker's connections reach the provider.
    var isProviderReachable = true {
        didSet { for entry in entries.values { entry.pool.isReachable = isProviderReachable } }
    }

    init(_ provider: ModelProvider, _ timeline: Timeline, _ dice: Dice, clock: @escaping @Sendable () -> Timestamp) {
        self.provider = provider
        self.timeline = timeline
        self.dice = dice
        self.clock = clock
    }

    func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        let now = clock()
        if job.job.isExpired(at: now) { return sink.reportAll(of: job, .expired, reason: nil, at: now) }
        guard !isStopped, let credential = job.credential else {
            return sink.reportAll(of: job, .returned, reason: nil, at: now)
        }
        do {
            let prepared = try PreparedJob(job, sink: sink)
            prepared.holdRandom = dice.fraction()
            let entry = entry(of: credential)
            if entry.dispatcher.handIn(prepared) { entry.pool.scheduleTurn() }
        } catch {
            sink.reportAll(of: job, .rejected, reason: error.reason, detail: error.detail, at: now)
        }
    }

    private func entry(of credential: Credential) -> Entry {
        if let known = entries[credential.id] { return known }
        let dice = dice
        let dispatcher = CredentialDispatcher(
            health: PoolHealth(
                of: Refusal.Subject(credential: credential.id, environment: .production, topic: nil), service: "APNs",
                breakMilliseconds: 15_000, silenceMilliseconds: 10_000, refusals: { _ in },
                logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }, random: { dice.fraction() }),
            clock: clock)
        let pool = SimulatedPool(
            APNSPushes(dispatcher, tokens: nil), provider, credential: credential.id, timeline, dice.fork())
        pool.isReachable = isProviderReachable
        let new = Entry(pool: pool, dispatcher: dispatcher)
        entries[credential.id] = new
        return new
    }

    private var all: [Entry] { entries.sorted { $0.key < $1.key }.map(\.value) }

    /// Ends the connections to the provider.
    func loseConnections() { for entry in all { entry.pool.loseConnection() } }

    /// Ends all pools without settling their pushes, because the worker has died.
    func end() { for entry in all { entry.pool.end() } }

    func credentialsChanged(to credentials: Set<Credential.ID>) {
        for (id, entry) in entries.sorted(by: { $0.key < $1.key }) where !credentials.contains(id) {
            entries[id] = nil
            timeline.after(milliseconds: 60_000) { [self] in
                entry.dispatcher.returnAll(now: timeline.milliseconds)
                entry.pool.scheduleTurn()
            }
        }
    }

    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        for entry in all {
            entry.dispatcher.cancel({ isCancelled($0.job.id) }, now: timeline.milliseconds)
            entry.pool.scheduleTurn()
        }
    }

    func stopSending() {
        isStopped = true
        for entry in all {
            entry.dispatcher.stop()
            entry.pool.scheduleTurn()
        }
    }

    func shutDown() async { end() }
}
