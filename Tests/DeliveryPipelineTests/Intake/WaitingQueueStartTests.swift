import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Routing
import Testing

/// The behaviour of a worker before it has learned which waiting queues are in use.
@Suite struct WaitingQueueStartTests {
    private let harness = PipelineHarness(maximumInFlight: 8) {
        $0.limits.appShare = 50
        $0.prefetch = [.urgent: 10, .normal: 10, .bulk: 10]
    }

    private func connect(_ connection: Int) {
        harness.core.received(.connected(queues: []), of: JobQueue.connections[connection])
        harness.finishTurn()
    }

    @Test func movesNoJobUntilWaitingQueuesAreKnown() {
        connect(1)
        harness.deliver((0..<10).map { .sample(jobBody("order-\($0)"), number: $0) })
        #expect(harness.moved == [], "the waiting queues are not consumed yet")
        connect(3)
        harness.deliver(jobBody("order-10"), number: 10)
        #expect(harness.moved == [], "their first jobs may still be on the way")
        harness.pass(seconds: 1)
        harness.deliver(jobBody("order-11"), number: 11)
        #expect(!harness.waiting.isEmpty)
    }

    /// No delivery and no outcome follows the job, so only a timer can move it.
    @Test func movesSingleJobOfPausedAppWhenWaitingQueuesBecomeKnown() {
        harness.replaceSnapshot(apps: [.pausedShop])
        for connection in JobQueue.connections.indices { connect(connection) }
        harness.deliver(jobBody("order-1"), number: 1)
        #expect(harness.waiting.isEmpty && harness.started == [])
        harness.passPace(milliseconds: 1_000)
        #expect(harness.waiting.count == 1)
    }

    @Test func movesJobsAfterClockIsSetBack() {
        for connection in JobQueue.connections.indices { connect(connection) }
        harness.pass(seconds: -3_600)
        harness.deliver((0..<10).map { .sample(jobBody("order-\($0)"), number: $0) })
        #expect(!harness.waiting.isEmpty)
    }

    @Test func movesNoJobWhileConnectionOfWaitingQueuesIsLost() {
        for connection in JobQueue.connections.indices { connect(connection) }
        harness.pass(seconds: 1)
        harness.core.received(.disconnected(AMQPError(.connectionFailed, "gone")), of: JobQueue.connections[3])
        harness.deliver((0..<10).map { .sample(jobBody("order-\($0)"), number: $0) })
        #expect(harness.moved == [])
    }
}
