import AMQPClient
import DeliveryPipeline
import Dispatch
import Logging
import PushModel
import Store
import Testing

/// A core between a recorder and a scripted output. Every step returns once the core has done its turn, and
/// timers run only when told to, so a test sees every state.
struct PipelineHarness {
    let recorder: EffectsRecorder
    let output = ScriptedOutput()
    let core: PipelineCore

    init(
        apps: [App] = [.shop], credentials: [SnapshotCredential] = [.sample()], maximumInFlight: Int = 20_000,
        retry: RetryPolicy = RetryPolicy(), brokerUser: String? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) {
        var configuration = PipelineConfiguration(worker: "push-7", maximumInFlight: maximumInFlight, retry: retry)
        configuration.brokerUser = brokerUser
        // One app alone may take everything, unless a test is about that.
        (configuration.limits.appShare, configuration.limits.urgentShare) = (100, 0)
        configure(&configuration)
        recorder = EffectsRecorder(snapshot: Snapshot(apps: apps, credentials: credentials))
        core = PipelineCore(
            configuration: configuration,
            outputs: [
                RunningOutput(ScriptedPlugin(), output),
                RunningOutput(DiscardPlugin(), DiscardOutput(now: { Timestamp(seconds: 1_800_000_000) })),
            ], effects: recorder.effects,
            logger: logger)
    }

    // MARK: What happens

    /// - Returns: the delivery's number.
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

    /// Reports one outcome for each of the job's recipients, in order, and lets them leave.
    func report(_ job: RoutedJob, _ outcomes: [Outcome]) {
        core.report(outcomes)
        finishTurn()
        flush()
    }

    func report(_ job: RoutedJob, _ verdicts: [Outcome.Verdict], reason: String? = nil) {
        report(job, verdicts.enumerated().map { job.outcome($0.offset, $0.element, reason: reason) })
    }

    /// What waits for company leaves.
    func flush() { runTimers(where: \.isForCompany) }

    func pass(seconds: Int64) { recorder.withRecord { $0.now = Timestamp(seconds: $0.now.seconds + seconds) } }

    /// The second after which refused messages are offered again is over.
    func passOneSecond() { runTimers { $0.isRefusal && $0.milliseconds == 1_000 } }

    /// All that waits for the broker's mercy is offered again, however long it was to wait.
    func passRefusalWaits() { runTimers(where: \.isRefusal) }

    /// The database has not marked tokens in time.
    func passMarkPatience() { runTimers(where: \.isForMarks) }

    /// The database answers: these of the batch were new.
    func claimed(_ batch: Claims.Batch, fresh: [ClaimKey]) {
        var fresh = Set(fresh)
        claimed(batch, batch.keys.map { fresh.remove($0) == nil ? .taken : .claimed })
    }

    func claimed(_ batch: Claims.Batch, _ answers: [ClaimAnswer]) {
        core.claimed(batch, answers)
        finishTurn()
    }

    /// Nobody had claimed them.
    func grantClaims() throws {
        let batch = try #require(claims.last)
        claimed(batch, fresh: batch.keys)
    }

    /// The time is over in which the database is to say which tokens are dead, and which chunks are known.
    func passLookUpTime() {
        pass(seconds: 2)
        runTimers(where: \.isForLookUpOrClaims)
    }

    /// So much later the apps' rates are looked at.
    func passPace(milliseconds: Int64 = 0) {
        recorder.withRecord { $0.now = Timestamp(milliseconds: $0.now.milliseconds + milliseconds) }
        runTimers(where: \.isForPace)
    }

    /// The prefetch of the overflow queues is thought over.
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

    // MARK: What came of it

    var published: [AMQPPublication] { recorder.withRecord { $0.published } }
    /// No longer held.
    var released: [AMQPDeliveryTag] { recorder.withRecord { $0.released } }
    var acknowledgements: [AMQPAcknowledgement] { recorder.withRecord { $0.acknowledgements } }
    var acknowledged: [UInt64] { acknowledgements.map(\.tag.number) }
    /// Left to the broker to dead-letter.
    var rejected: [AMQPDeliveryTag] { recorder.withRecord { $0.rejected } }
    var claims: [Claims.Batch] { recorder.withRecord { $0.claims } }
    var marks: [MarkBuffer.Batch] { recorder.withRecord { $0.marks } }
    var timers: [Int] { recorder.withRecord { $0.timers.map(\.milliseconds) } }
    var drained: Int { recorder.withRecord { $0.drained } }
    /// Jobs that the worker has published again, by exchange and routing key.
    var moved: [String] {
        published.filter { $0.exchange != "martlet.results" }.map { "\($0.exchange) \($0.routingKey)" }
    }
    /// Those among them that had to make way.
    var overflowed: [AMQPPublication] { published.filter { $0.routingKey.hasSuffix(".overflow") } }
    /// What the broker was to hand out of overflow queues, one after the other.
    var prefetches: [Int] { recorder.withRecord { $0.prefetches.map(\.prefetch) } }
    var events: [AMQPPublication] { published.filter { $0.exchange == "martlet.results" } }
    /// Fails the test, rather than the process, when there is none.
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
