public import EventNames
public import AMQPClient
import Dispatch
import Foundation
public import Logging
import Metering
import Pacing
public import PushModel
public import Store

/// From the broker's job queues through an output to the results exchange and the database, acknowledging a
/// job once everything that became of it is safe.
///
/// Threads: one for each consuming connection, one for the publishing one, one serial queue for everything
/// between them (``PipelineCore``). Between threads go batches.
public final class DeliveryPipeline: Sendable {
    private let core: PipelineCore
    private let sources: JobSources
    private let publisher: AMQPPublisher
    private let outputs: [RunningOutput]
    private let markBatches: AsyncStream<MarkBuffer.Batch>
    private let claimBatches: AsyncStream<Claims.Batch>
    private let claims: ClaimRepository
    private let lookUps: AsyncStream<LookUpBuffer.LookUp>
    private let registry: DeviceTokenRegistry
    private let deadTokens: DeadTokenFeed?
    private let cancellations: CancellationFeed?
    private let connections: AsyncStream<Void>
    private let connected: AsyncStream<Void>.Continuation
    private let commits: MetricHistogram
    private let failures: OngoingFailures
    private let logger: Logger

    /// - Parameters:
    ///   - broker: used for four connections, three that consume and one that publishes.
    ///   - snapshots: where routing finds apps and credentials.
    ///   - registry: where dead tokens are marked.
    ///   - claims: where jobs that must not be sent twice are looked up.
    ///   - deadTokens: tells which tokens are not to be sent to; nil: whatever a job names is sent to.
    ///   - workers: how many run, this one among them, and share apps' rates; nil: not known yet.
    ///   - cancellations: tells which jobs are not to be sent; nil: all are.
    ///   - failures: the list of failed statements that have not succeeded since.
    /// - Throws: when the broker's configuration can't be used.
    public init(
        configuration: PipelineConfiguration, broker: AMQPConfiguration, outputs: [RunningOutput],
        snapshots: SnapshotStore, registry: DeviceTokenRegistry, claims: ClaimRepository,
        deadTokens: DeadTokenFeed? = nil, cancellations: CancellationFeed? = nil,
        workers: @escaping @Sendable () -> Int? = { 1 }, failures: OngoingFailures = OngoingFailures(), logger: Logger,
        now: @escaping @Sendable () -> Timestamp
    ) throws(AMQPError) {
        self.outputs = outputs
        self.registry = registry
        self.claims = claims
        self.deadTokens = deadTokens
        self.cancellations = cancellations
        self.failures = failures
        self.logger = logger
        (connections, connected) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        commits = configuration.meter.commits
        var configuration = configuration
        configuration.brokerUser = broker.user
        let topology = configuration.topology
        let sources = try JobSources(configuration, broker: broker, topology: topology, logger: logger)
        var publishing = broker
        publishing.connectionName = "\(configuration.worker) publisher"
        let publisher = try AMQPPublisher(configuration: publishing, topology: topology, logger: logger)
        let (markBatches, marksToWrite) = AsyncStream.makeStream(of: MarkBuffer.Batch.self)
        let (claimBatches, claimsToMake) = AsyncStream.makeStream(of: Claims.Batch.self)
        let (lookUps, lookUpsToMake) = AsyncStream.makeStream(of: LookUpBuffer.LookUp.self)
        let queue = PipelineCore.makeQueue()
        core = PipelineCore(
            configuration: configuration, outputs: outputs, on: queue,
            effects: PipelineEffects(
                publish: { publisher.publish($0) },
                acknowledge: { sources.acknowledge($0) },
                reject: { sources[$0].reject($0) },
                setPrefetch: { sources[$1].setPrefetch($0, of: $1) },
                release: { sources[$0.tag].release($0) },
                write: { marksToWrite.yield($0) },
                claim: { claimsToMake.yield($0) },
                lookUp: { lookUpsToMake.yield($0) },
                wait: { queue.asyncAfter(deadline: .now() + .milliseconds($1), execute: $2) },
                snapshot: { snapshots.current },
                workers: workers,
                now: now),
            logger: logger)
        // before the first delivery
        if let cancellations { core.received(.loaded(cancellations.initial)) }
        self.sources = sources
        self.publisher = publisher
        self.markBatches = markBatches
        self.claimBatches = claimBatches
        self.lookUps = lookUps
    }

    /// Connects and works until cancelled; what fails on the way is logged and tried again.
    public func run() async {
        publisher.start { [core, connected, publisher, sources] event in
            switch event {
            case .connected:
                // Not before it can tell what became of a job; a second start does nothing.
                for source in sources.all {
                    source.start {
                        // Only the publisher binds the queues of the lanes.
                        if case .declaredAgain = $0 { publisher.declareAgain() }
                        core.received($0, of: source.queues)
                    }
                }
                connected.yield()
            case .spread(let shards):
                // Before it hears that one of them is missing.
                core.received(event)
                for source in sources.all { source.consume(shards: shards) }
                return
            default: break
            }
            core.received(event)
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.writeMarks() }
            group.addTask { await self.makeClaims() }
            if let deadTokens {
                group.addTask { await deadTokens.run { [core = self.core] in core.received($0) } }
                group.addTask { await self.answerLookUps(deadTokens) }
            }
            if let cancellations {
                group.addTask { await cancellations.run { [core = self.core] in core.received($0) } }
            }
        }
    }

    /// Starts nothing any more, puts back what is not on the wire, finishes what is, and closes both connections. What
    /// is not settled by `deadline` is delivered again, to another worker.
    @discardableResult
    public func drain(deadline: Duration) async -> DrainEnd {
        for source in sources.all { source.stopConsuming() }
        for running in outputs { running.output.stopSending() }
        let settled = await withTaskGroup(of: Bool.self) { group in
            group.addTask { [core] in
                let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
                core.drain { continuation.finish() }
                for await _ in stream {}
                return !Task.isCancelled
            }
            group.addTask {
                try? await Task.sleep(for: deadline)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        await withTaskGroup(of: Void.self) { group in
            for source in sources.all { group.addTask { await source.close() } }
        }
        let unconfirmed = await publisher.close(drain: settled ? .seconds(5) : .zero)
        return DrainEnd(isInTime: settled, unconfirmed: unconfirmed, core.currentCounts())
    }

    /// The broker's product and version; nil: not connected to yet.
    public var broker: String? { publisher.broker }

    /// The same, for which it waits so long. To be called once: who has waited in vain can't wait for it again.
    public func broker(within patience: Duration) async -> String? {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [connections] in for await _ in connections { return } }
            group.addTask { try? await Task.sleep(for: patience) }
            await group.next()
            group.cancelAll()
        }
        return broker
    }

    /// Others may have spread the lanes over more queues than this worker does: looks, and consumes those, too.
    public func lookForShards() { publisher.look() }

    /// Checks that the broker still has all exchanges and queues, and declares deleted ones again.
    public func checkTopology() { publisher.checkTopology() }

    public func reconfigure(_ limits: PipelineLimits) { core.reconfigure(limits) }

    public var counts: PipelineCounts {
        var counts = core.currentCounts()
        counts.bytesHeld = sources.all.map(\.bytesHeld)
        return counts
    }

    /// What it has to do, and how fast it is.
    public var view: PipelineView { core.look() }

    private func writeMarks() async {
        for await batch in markBatches {
            let count = await untilDone {
                let start = ContinuousClock.now
                let count = try await registry.mark(batch.marks)
                commits.observe(Int((ContinuousClock.now - start) / .milliseconds(1)))
                return count
            } failed: {
                failures.began(
                    .marksFailed, "Dead tokens could not be marked, trying again", $0, level: .error, to: logger)
            }
            guard let count else { return }
            failures.ended(.marksWritten, "Dead tokens can be marked again", after: .marksFailed, to: logger)
            core.marksWritten(batch, count: count)
        }
    }

    private func makeClaims() async {
        for await batch in claimBatches {
            let answers = await untilDone {
                try await claims.claim(batch.requests)
            } failed: {
                failures.began(.claimsFailed, "Jobs could not be claimed, trying again", $0, level: .error, to: logger)
            }
            guard let answers else { return }
            failures.ended(.claimsMade, "Jobs can be claimed again", after: .claimsFailed, to: logger)
            core.claimed(batch, answers)
        }
    }

    /// Marks wait for the database, however long it is away; meanwhile its jobs stay unacknowledged, and
    /// intake stops when too many are open. nil when cancelled.
    private func untilDone<Value: Sendable>(
        _ body: () async throws -> Value, failed: (String) -> Void
    ) async -> Value? {
        var backoff = Backoff(first: .milliseconds(200), longest: .seconds(10))
        while !Task.isCancelled {
            do {
                return try await body()
            } catch {
                if Task.isCancelled { return nil }
                failed("\(error)")
                try? await Task.sleep(for: backoff.failed(random: .random(in: 0...1)))
            }
        }
        return nil
    }

    /// One after the other: tokens that come meanwhile gather for the next.
    private func answerLookUps(_ deadTokens: DeadTokenFeed) async {
        for await lookUp in lookUps {
            do {
                let deaths = try await registry.deaths(among: lookUp.keys)
                core.lookedUp(lookUp.id, deaths: deaths)
                failures.ended(
                    .lookUpsAnswered, "Tokens can be looked up again", after: .lookUpFailed, to: logger)
                deadTokens.note(falsePositives: lookUp.keys.count - deaths.count)
                await register(lookUp.registrations(against: deaths))
            } catch {
                if Task.isCancelled { return }
                failures.began(
                    .lookUpFailed, "Tokens can't be looked up, pushes to dead tokens are sent", "\(error)",
                    isOnDemand: true, metadata: ["tokens": "\(lookUp.keys.count)"], to: logger)
                core.lookedUp(lookUp.id, deaths: nil)
            }
        }
    }

    /// Writes down which tokens were handed in again, so that others know. The next job will tell it again.
    private func register(_ registrations: [TokenRegistration]) async {
        guard !registrations.isEmpty else { return }
        do {
            try await registry.register(registrations)
            failures.ended(
                .registrationsMade, "Tokens can be registered again", after: .registrationFailed, to: logger)
        } catch {
            if Task.isCancelled { return }
            failures.began(
                .registrationFailed, "Tokens could not be registered", "\(error)",
                isOnDemand: true, metadata: ["tokens": "\(registrations.count)"], to: logger)
        }
    }
}
