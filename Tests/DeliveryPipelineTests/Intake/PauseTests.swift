import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Routing
import Store
import Testing

/// The jobs of a paused app. They wait in a waiting queue, and a worker holds only a few of them.
@Suite struct PauseTests {
    private let harness = PipelineHarness(apps: [.pausedShop, PacedSite.other])

    private func deliver(_ numbers: Range<UInt64>, from queue: JobQueue, more: String = "") {
        harness.deliver(numbers.map { .sample(jobBody("order-\($0)", more: more), number: $0, from: queue) })
    }

    /// The number of jobs of the paused app that the worker holds.
    private var held: Int { harness.core.look().apps.reduce(0) { $0 + $1.waiting } }

    @Test(arguments: Lane.allCases) func movesJobsToWaitingQueueOnce(lane: Lane) {
        deliver(1..<4, from: .lane(lane))
        #expect(harness.waiting.count == 3 && harness.started == [])
        #expect(harness.waiting.allSatisfy { $0.routingKey.hasPrefix("\(lane.rawValue).waiting.") })
        let counts = harness.core.currentCounts()
        #expect(counts.jobsHeld == 3 && counts.jobsPaused == 3 && held == 0)
        deliver(11..<14, from: .waiting(lane, 0))
        #expect(harness.waiting.count == 3 && held == 3)
        #expect(harness.core.currentCounts().jobsWaiting == 0, "an alert fires if jobs wait and none is settled")
    }

    @Test func startsJobsWhenPauseEnds() {
        deliver(1..<5, from: .waiting(.normal, 0))
        harness.passBeat()
        #expect(harness.started == [])
        harness.replaceSnapshot(apps: [.shop])
        harness.passBeat()
        #expect(harness.started.count == 4)
    }

    @Test func doesNotDelayOtherAppOfSameQueue() {
        deliver(1..<4, from: .waiting(.normal, 0))
        harness.deliver([
            .sample(jobBody("other", app: "com.example.other"), number: 4, from: .waiting(.normal, 0))
        ])
        #expect(harness.started == ["other"])
    }

    /// When a worker exchanges its held jobs for others, it also receives jobs of other apps that other workers may
    /// have moved to the same queue.
    @Test func exchangesHeldJobsAtGrowingIntervals() {
        deliver(1..<5, from: .waiting(.normal, 0))
        harness.passBeat()
        var exchanges: [Int64] = []
        for second in 1...400 as ClosedRange<Int64> {
            harness.pass(seconds: 1)
            let before = harness.waiting.count
            harness.passBeat()
            guard harness.waiting.count > before else { continue }
            #expect(harness.waiting.count == before + 4)
            exchanges.append(second)
            for publication in harness.waiting.suffix(4) { harness.confirm(publication) }
            let number = UInt64(second) * 10
            deliver(number..<number + 4, from: .waiting(.normal, 0))
        }
        #expect(exchanges == [30, 90, 210], "30, 60, 120 and 240 s")
    }

    @Test(arguments: [#""expires_at":1800000029,"#, #""expires_at":0,"#])
    func endsJobThatCannotWait(more: String) throws {
        deliver(1..<2, from: .lane(.normal), more: more)
        harness.flush()
        #expect(
            try harness.outcomes().map { "\($0["kind"] ?? "-") \($0["reason"] ?? "-")" } == [
                "expired AppPaused", "expired AppPaused",
            ])
    }

    @Test func endsCancelledJobAtOnce() throws {
        harness.cancellations(.changed([.init(job: "order-1", isCancelled: true)]))
        deliver(2..<4, from: .waiting(.normal, 0))
        deliver(1..<2, from: .waiting(.normal, 0))
        harness.flush()
        #expect(try harness.outcomes().map { $0["reason"] } == ["Cancelled", "Cancelled"])
    }

    @Test func delaysScheduledJobUntilScheduledTime() {
        deliver(1..<2, from: .lane(.normal), more: #""send_at":1800003600,"#)
        #expect(harness.moved == ["martlet.delay.3600 normal.returned"])
    }
}
