import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Testing

/// The priority of a worker's consumers after it could not connect to a provider.
@Suite struct ConsumerPriorityTests {
    private let harness = PipelineHarness(hasFixedHosts: true)

    private func failToConnect(_ number: UInt64, after seconds: Int64 = 0) throws {
        harness.pass(seconds: seconds)
        harness.deliver(jobBody("order-\(number)"), number: number)
        harness.report(try harness.job(Int(number) - 1), [.hold, .hold], reason: Outcome.connectionFailed)
    }

    private var priorities: [Int32] { harness.recorder.withRecord { $0.priorities } }

    /// Fires the priority timer after its length or the given time, and returns its length in seconds.
    private func endTimer(after seconds: Int64? = nil) throws -> Int {
        let timer = try #require(harness.recorder.withRecord { $0.timers.first(where: \.isForPriority) })
        harness.pass(seconds: seconds ?? Int64(timer.milliseconds / 1_000))
        harness.runTimers(where: \.isForPriority)
        return timer.milliseconds / 1_000
    }

    @Test func lowersPriorityForAMinuteAndThenForLonger() throws {
        try failToConnect(1)
        #expect(priorities == [-1])
        #expect(try endTimer() == 60)
        #expect(priorities == [-1, 0])
        try failToConnect(2)
        #expect(try endTimer() == 120)
        #expect(priorities == [-1, 0, -1, 0])
        try failToConnect(3, after: 3_600)
        #expect(try endTimer() == 60)
    }

    @Test func extendsLowPriorityWhileNoConnectionOpens() throws {
        try failToConnect(1)
        try failToConnect(2, after: 50)
        #expect(priorities == [-1])
        #expect(try endTimer(after: 10) == 60)
        #expect(priorities == [-1])
        #expect(try endTimer() == 50)
        #expect(priorities == [-1, 0])
    }

    @Test func endsLowPriorityWhenProviderAcceptsPush() throws {
        try failToConnect(1)
        harness.deliver(jobBody("order-2"), number: 2)
        harness.report(try harness.job(1), [.sent, .sent])
        #expect(priorities == [-1, 0])
        try failToConnect(3, after: 59)
        #expect(priorities == [-1, 0], "another credential's pushes were accepted recently")
        try failToConnect(4, after: 1)
        #expect(priorities == [-1, 0, -1])
    }

    @Test func returnsPushOnceToPreferredWorkers() throws {
        try failToConnect(1)
        #expect(harness.moved == ["martlet.moved normal.returned"])
        let part = try #require(harness.published.last)
        #expect(part.properties.headers["x-martlet-attempt"] == 1)
        harness.deliver(String(decoding: part.body, as: UTF8.self), number: 2, properties: part.properties)
        if let batch = harness.claims.last { harness.claimed(batch, fresh: batch.keys) }
        harness.report(try harness.job(1), [.hold, .hold], reason: Outcome.connectionFailed)
        #expect(harness.moved == ["martlet.moved normal.returned", "martlet.delay.30 normal.returned"])
    }

    /// The push returns even if it expires before it could leave a delay queue.
    @Test func returnsExpiringPush() throws {
        harness.deliver(jobBody(more: #""expires_at":1800000010,"#))
        harness.report(try harness.job(0), [.hold, .hold], reason: Outcome.connectionFailed)
        #expect(harness.moved == ["martlet.moved normal.returned"] && harness.events.isEmpty)
    }

    @Test func startsJobsOfWaitingQueueSlowlyWhilePriorityIsLow() throws {
        let (own, other) = (JobQueue.waiting(.normal, 0), JobQueue.waiting(.normal, 1))
        func deliver(_ number: UInt64, _ queue: JobQueue) {
            harness.deliver([.sample(jobBody("order-\(number)"), number: number, from: queue)])
        }
        deliver(1, own)
        harness.report(try harness.job(0), [.hold, .hold], reason: Outcome.connectionFailed)
        for number in UInt64(2)...3 { deliver(number, own) }
        deliver(4, other)
        #expect(harness.started == ["order-1", "order-4"])
        harness.pass(seconds: 5)
        harness.passBeat()
        #expect(harness.started == ["order-1", "order-4", "order-2"])
        harness.report(try harness.job(1), [.sent, .sent])
        harness.passBeat()
        #expect(harness.started == ["order-1", "order-4", "order-2", "order-3"])
    }

    @Test func keepsPriorityIfHostDependsOnCredentialOrRecipient() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody())
        harness.report(try harness.job(0), [.hold, .hold], reason: Outcome.connectionFailed)
        #expect(harness.recorder.withRecord { $0.priorities } == [])
    }
}
