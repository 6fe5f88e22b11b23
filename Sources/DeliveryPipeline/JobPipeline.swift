package import Foundations
package import AMQPClient
import Dispatch
import Foundation
package import Logging
import Metering
package import PushModel
package import Store

/// The pipeline that consumes jobs from the broker's queues and passes them to outputs. It publishes the outcomes as
/// result events and marks dead tokens in the database. A job is acknowledged once the broker has confirmed all
/// messages that result from it.
///
/// Every connection has its own thread, and ``PipelineCore`` has a serial queue. They exchange work in batches.
package final class JobPipeline: Sendable {
    private let core: PipelineCore
    private let sources: JobSources
    private let publisher: AMQPPublisher
    private let outputs: [RunningOutput]
    private let markBatches: AsyncStream<MarkBuffer.Batch>
    private let claimBatches: AsyncStream<Claims.Batch>
    private let claims: ClaimRepository
    private let lookUps: AsyncStream<LookupBuffer.Lookup>
    private let registry: DeviceTokenRegistry
    private let deadTokens: DeadTokenFeed?
    private let cancellations: CancellationFeed?
    private let connections: AsyncStream<Void>
    private let connected: AsyncStream<Void>.Continuation
    private let commits: MetricHistogram
    private let failures: OngoingFailures
    private let logger: Logger

    /// Creates a pipeline. ``run()`` connects it.
    ///
    /// - Parameters:
    ///   - broker: the broker, to which the pipeline makes four consuming connections and one publishing connection.
    ///   - snapshots: the apps and credentials that routing uses.
    ///   - registry: the registry in which dead tokens are marked.
    ///   - claims: the claims of job names, for de-duplication.
    ///   - deadTokens: the feed of dead tokens, or `nil` to push to every token that a job names.
    ///   - cancellations: the feed of cancelled jobs, or `nil` if jobs cannot be cancelled.
    ///   - workers: a closure that returns the number of running workers, including this one, or `nil` while the number
    ///     is unknown. The workers share the rate limits.
    ///   - failures: the list of failures that have begun and not ended, such as failed database statements.
    /// - Throws: an error if the broker's configuration is invalid or the process can't open another file descriptor.
    package init(
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
        let (lookUps, lookUpsToMake) = AsyncStream.makeStream(of: LookupBuffer.Lookup.self)
        let queue = PipelineCore.makeQueue()
        core = PipelineCore(
            configuration: configuration, outputs: outputs, on: queue,
            effects: PipelineEffects(
                publish: { publisher.publish($0) },
                acknowledge: { sources.acknowledge($0) },
                reject: { sources[$0].reject($0) },
                setPrefetch: { sources[$1].setPrefetch($0, of: $1) },
                setPriority: { for source in sources.all { source.setPriority($0) } },
                release: { sources[$0.tag].release($0) },
                write: { marksToWrite.yield($0) },
                claim: { claimsToMake.yield($0) },
                lookUp: { lookUpsToMake.yield($0) },
                wait: { queue.asyncAfter(deadline: .now() + .milliseconds($1), execute: $2) },
                snapshot: { snapshots.current },
                workers: workers,
                now: now),
            logger: logger)
        // The initial cancellations must be loaded before the first delivery arrives.
        if let cancellations { core.received(.loaded(cancellations.initial)) }
        self.sources = sources
        self.publisher = publisher
        self.markBatches = markBatches
        self.claimBatches = claimBatches
        self.lookUps = lookUps
    }

    /// Connects, and runs the pipeline until the task is cancelled. Failures are logged and, except for look-ups and
    /// registrations of tokens, retried. ``drain(deadline:)`` closes the connections.
    package func run() async {
        publisher.start { [core, connected, sources] event in
            if case .connected = event {
                // Consuming starts only when result events can be published. A repeated start has no effect.
                for source in sources.all { source.start { core.received($0, of: source.queues) } }
                connected.yield()
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

    /// Stops consuming, requeues jobs and pushes that are not on the wire, finishes pushes that are on the wire, and
    /// closes all connections. Jobs that are not settled within `deadline` are redelivered to another worker.
    @discardableResult
    package func drain(deadline: Duration) async -> DrainEnd {
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

    /// The broker's product and version, or `nil` before the first connection.
    package var broker: String? { publisher.broker }

    /// Returns the broker's product and version, and waits up to `patience` for the first connection. Call this
    /// method only once.
    package func broker(within patience: Duration) async -> String? {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [connections] in for await _ in connections { return } }
            group.addTask { try? await Task.sleep(for: patience) }
            await group.next()
            group.cancelAll()
        }
        return broker
    }

    /// Checks that the broker still has all exchanges and queues. Missing ones are logged and, if workers declare the
    /// topology, declared again.
    package func checkTopology() { publisher.checkTopology() }

    package func reconfigure(_ limits: PipelineLimits) { core.reconfigure(limits) }

    package var counts: PipelineCounts {
        var counts = core.currentCounts()
        counts.bytesHeld = sources.all.map(\.bytesHeld)
        return counts
    }

    /// The current backlog and throughput.
    package var view: PipelineView { core.look() }

    private func writeMarks() async {
        for await batch in markBatches {
            let count = await untilDone {
                let start = ContinuousClock.now
                let count = try await registry.mark(batch.marks)
                commits.observe(Int((ContinuousClock.now - start) / .milliseconds(1)))
                return count
            } failed: {
                failures.began(
                    .marksFailed, "Dead tokens could not be marked; retrying", $0, level: .error, to: logger)
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
                failures.began(.claimsFailed, "Jobs could not be claimed; retrying", $0, level: .error, to: logger)
            }
            guard let answers else { return }
            failures.ended(.claimsMade, "Jobs can be claimed again", after: .claimsFailed, to: logger)
            core.claimed(batch, answers)
        }
    }

    /// Repeats an operation with back-off until it succeeds. Returns `nil` if the task is cancelled.
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

    /// Executes look-ups one at a time. Tokens that arrive during a look-up are collected for the next one.
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
                    .lookUpFailed, "Tokens cannot be looked up; pushes to dead tokens are sent", "\(error)",
                    isOnDemand: true, metadata: ["tokens": "\(lookUp.keys.count)"], to: logger)
                core.lookedUp(lookUp.id, deaths: nil)
            }
        }
    }

    /// Records tokens that were registered again, so that later look-ups of all workers find them alive. A failed write
    /// is not repeated, because the next job for the token reports the registration again.
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
