import AMQPClient
import DeliveryPipeline
import Dispatch
import Logging
import PushModel
import Store
import Testing
import Routing

/// A pipeline core with a recorder of its effects and a scripted output. Every step returns after the core has finished
/// its turn, and timers run only when the test runs them, so a test can check every state.
struct PipelineHarness {
    let recorder: EffectsRecorder
    let output = ScriptedOutput()
    let core: PipelineCore

    init(
        apps: [App] = [.shop], credentials: [SnapshotCredential] = [.sample()], maximumInFlight: Int = 20_000,
        retry: RetryPolicy = RetryPolicy(), brokerUser: String? = nil, hasFixedHosts: Bool = false,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) {
        var configuration = PipelineConfiguration(worker: "push-7", maximumInFlight: maximumInFlight, retry: retry)
        configuration.brokerUser = brokerUser
        // A single app may use the whole capacity, unless a test configures shares.
        (configuration.limits.appShare, configuration.limits.urgentShare) = (100, 0)
        configure(&configuration)
        recorder = EffectsRecorder(snapshot: Snapshot(apps: apps, credentials: credentials))
        core = PipelineCore(
            configuration: configuration,
            outputs: [
                RunningOutput(ScriptedPlugin(hasFixedHosts: hasFixedHosts), output),
                RunningOutput(DiscardPlugin(), DiscardOutput(now: { Timestamp(seconds: 1_800_000_000) })),
            ], effects: recorder.effects,
            logger: logger)
    }

    // MARK: Inputs

    /// Delivers a job, and returns the number of the delivery.
    @discardableResult
    func deliver(
        _ body: String, number: UInt64 = 1, lane: Lane = .normal, properties: AMQPProperties = AMQPProperties(),
        redelivered: Bool = false
    ) -> UInt64 {
        deliver([.sample(body, number: number, lane: lane, properties: properties, redelivered: redelivered)])
        return number
    }

    func deliver(_ deliveries: [AMQPDelivery]) { consumer(.deliveries(deliveries)) }

    func consumer(_ event: AMQPConsumerEvent) {
        core.received(event)
        finishTurn()
    }

    func publisher(_ event: AMQPPublisherEvent) {
        core.received(event)
        finishTurn()
    }

    func confirmEvent(_ index: Int) throws { confirm(try event(index)) }

    func confirm(_ publications: AMQPPublication...) { publisher(.confirmed(publications.map(\.id))) }

    func confirmAllEvents() { publisher(.confirmed(events.map(\.id))) }

    func written(_ batch: MarkBuffer.Batch) {
        core.marksWritten(batch, count: batch.marks.count)
        finishTurn()
    }

    /// Reports one outcome for each of the job's recipients, in order, and publishes the events.
    func report(_ job: RoutedJob, _ outcomes: [Outcome]) {
        core.report(outcomes)
        finishTurn()
        flush()
    }

    func report(_ job: RoutedJob, _ verdicts: [Outcome.Verdict], reason: String? = nil) {
        report(job, verdicts.enumerated().map { job.outcome($0.offset, $0.element, reason: reason) })
    }

    /// Publishes the outcomes and retries that wait to be batched with others.
    func flush() { runTimers(where: \.isForCompany) }

    func pass(seconds: Int64) { recorder.withRecord { $0.now = Timestamp(seconds: $0.now.seconds + seconds) } }

    /// Lets one second pass, after which the core publishes refused messages again.
    func passOneSecond() { runTimers { $0.isRefusal && $0.milliseconds == 1_000 } }

    /// Publishes all refused messages again, regardless of their back-off.
    func passRefusalWaits() { runTimers(where: \.isRefusal) }

    /// Lets the time expire in which the database must mark tokens.
    func passMarkPatience() { runTimers(where: \.isForMarks) }

    /// Answers a batch of claims. Only the `fresh` names were unclaimed.
    func claimed(_ batch: Claims.Batch, fresh: [ClaimKey]) {
        var fresh = Set(fresh)
        claimed(batch, batch.keys.map { fresh.remove($0) == nil ? .taken : .claimed })
    }

    func claimed(_ batch: Claims.Batch, _ answers: [ClaimAnswer]) {
        core.claimed(batch, answers)
        finishTurn()
    }

    /// Grants all claims of the last batch.
    func grantClaims() throws {
        let batch = try #require(claims.last)
        claimed(batch, fresh: batch.keys)
    }

    /// Lets the time expire in which the database must answer token look-ups and chunk claims.
    func passLookUpTime() {
        pass(seconds: 2)
        runTimers(where: \.isForLookUpOrClaims)
    }

    /// Advances the clock, and runs the timers of the rate limits.
    func passPace(milliseconds: Int64 = 0) {
        recorder.withRecord { $0.now = Timestamp(milliseconds: $0.now.milliseconds + milliseconds) }
        runTimers(where: \.isForPace)
    }

    /// Runs the timer that adjusts the prefetch of the waiting queues.
    func passBeat(_ count: Int = 1) { for _ in 0..<count { runTimers(where: \.isForPrefetch) } }

    func drain() {
        core.drain { [recorder] in recorder.withRecord { $0.drained += 1 } }
        finishTurn()
    }

    func cancellations(_ event: CancellationFeed.Event) {
        core.received(event)
        finishTurn()
    }

    func replaceSnapshot(apps: [App], credentials: [SnapshotCredential] = [.sample()]) {
        let snapshot = Snapshot(apps: apps, credentials: credentials)
        recorder.withRecord { $0.snapshot = snapshot }
    }

    func runTimers(where isDue: @Sendable (EffectsRecorder.Timer) -> Bool) {
        finishTurn()
        let due = recorder.withRecord { record in
            defer { record.timers.removeAll(where: isDue) }
            return record.timers.filter(isDue)
        }
        core.queue.sync { for timer in due { timer.work() } }
        finishTurn()
    }

    func finishTurn() { core.queue.sync {} }

    // MARK: Effects

    var published: [AMQPPublication] { recorder.withRecord { $0.published } }
    /// The deliveries whose bytes were released.
    var released: [AMQPDeliveryTag] { recorder.withRecord { $0.released } }
    var acknowledgements: [AMQPAcknowledgement] { recorder.withRecord { $0.acknowledgements } }
    var acknowledged: [UInt64] { acknowledgements.map(\.tag.number) }
    /// The deliveries that were rejected, so that the broker dead-letters them.
    var rejected: [AMQPDeliveryTag] { recorder.withRecord { $0.rejected } }
    var claims: [Claims.Batch] { recorder.withRecord { $0.claims } }
    var marks: [MarkBuffer.Batch] { recorder.withRecord { $0.marks } }
    var timers: [Int] { recorder.withRecord { $0.timers.map(\.milliseconds) } }
    var drained: Int { recorder.withRecord { $0.drained } }
    /// The exchanges and routing keys of the jobs that the worker has republished.
    var moved: [String] {
        published.filter { $0.exchange != "martlet.results" }.map { "\($0.exchange) \($0.routingKey)" }
    }
    /// The jobs that were moved to a waiting queue.
    var waiting: [AMQPPublication] { published.filter { $0.routingKey.contains(".waiting.") } }
    /// The prefetch values that were set, in order.
    var prefetches: [Int] { recorder.withRecord { $0.prefetches.map(\.prefetch) } }
    var events: [AMQPPublication] { published.filter { $0.exchange == "martlet.results" } }
    /// Returns the event at an index. If there is none, the test fails instead of crashing the process.
    func event(_ index: Int) throws -> AMQPPublication { try #require(events.dropFirst(index).first) }
    func job(_ index: Int) throws -> RoutedJob { try #require(output.jobs.dropFirst(index).first) }
    func mark(_ index: Int) throws -> MarkBuffer.Batch { try #require(marks.dropFirst(index).first) }

    var started: [String] { output.jobs.map(\.job.id) }

    func outcomes() throws -> [[String: String]] {
        try events.flatMap { event in
            let body = try JSON.object(event.body)
            return try JSON.objects(body["outcomes"]).map { outcome in
                var flat = outcome.mapValues { "\($0)" }
                flat["kind"] = body["kind"] as? String
                return flat
            }
        }
    }
}

extension Claims.Batch {
    var keys: [ClaimKey] { requests.map(\.key) }
}
