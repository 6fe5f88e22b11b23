import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Testing

/// Jobs that wait for a long time because other jobs use the worker's whole capacity, and jobs whose move a waiting
/// queue refuses.
@Suite struct LongWaitTests {
    /// Returns a worker whose capacity is used by four jobs.
    private func busy(longestWait: Int = 15) -> PipelineHarness {
        let harness = PipelineHarness(maximumInFlight: 8) {
            ($0.limits.appShare, $0.limits.urgentShare, $0.limits.longestWait) = (100, 0, longestWait)
        }
        harness.deliver((0..<4).map { .sample(jobBody("normal-\($0)"), number: $0) })
        return harness
    }

    private func pass(_ harness: PipelineHarness, seconds: Int64) {
        harness.pass(seconds: seconds)
        // Any event starts a turn.
        harness.publisher(.confirmed([]))
    }

    @Test func movesJobToWaitingQueueAfterLongestWait() {
        let harness = busy()
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        harness.deliver([.sample(jobBody("back"), number: 8, from: .waiting(.normal, 0))])
        #expect(harness.started.count == 4)
        pass(harness, seconds: 14)
        #expect(harness.waiting.isEmpty)
        pass(harness, seconds: 2)
        #expect(harness.waiting.map(\.lane) == ["normal", "bulk"])
        #expect(harness.core.currentCounts().jobsMoved == 2)
        for publication in harness.waiting { harness.confirm(publication) }
        #expect(harness.acknowledged == [8, 7])
        pass(harness, seconds: 60)
        #expect(harness.waiting.count == 2 && harness.started.count == 4)
    }

    /// A suspect that stayed in the worker would be dropped as a poison message after three consumer timeouts of the
    /// broker.
    @Test func requeuesSuspectAfterLongestWait() {
        let harness = busy()
        harness.deliver([.sample(jobBody("suspect"), number: 7, from: .suspects)])
        pass(harness, seconds: 16)
        #expect(harness.moved == ["martlet.moved suspects"])
    }

    /// The clock was an hour ahead for a moment.
    @Test func movesJobAfterClockIsSetBack() {
        let harness = busy()
        harness.pass(seconds: 3_600)
        harness.deliver(jobBody("first"), number: 6, lane: .bulk)
        harness.pass(seconds: -3_600)
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        pass(harness, seconds: 16)
        #expect(harness.waiting.count == 2)
    }

    /// A moved copy would wait in the worker until the broker accepts it. If the connection of the job's delivery were
    /// lost during this wait, the job would be sent twice.
    @Test(arguments: [AMQPPublisherEvent.blocked(reason: "memory"), .disconnected(AMQPError(.connectionLost, "gone"))])
    func movesNothingWhileBrokerAcceptsNothing(event: AMQPPublisherEvent) {
        let harness = busy()
        harness.publisher(event)
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        harness.deliver((10..<300).map { .sample(jobBody("flood-\($0)"), number: $0) })
        pass(harness, seconds: 16)
        #expect(harness.waiting.isEmpty)
        harness.publisher(.connected)
        #expect(harness.waiting.contains { $0.lane == "bulk" })
    }

    @Test func sendsJobThatWaitingQueueRefused() throws {
        let harness = busy()
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        pass(harness, seconds: 16)
        let copy = try #require(harness.waiting.first)
        harness.publisher(.refused([copy.id]))
        #expect(harness.core.currentCounts().jobsWaiting == 1)
        harness.report(try harness.job(0), [.sent, .sent])
        harness.confirmAllEvents()
        #expect(harness.started.last == "bulk")
        harness.report(try harness.job(4), [.sent, .sent])
        harness.confirmAllEvents()
        #expect(harness.acknowledged == [0, 7])
        #expect(harness.waiting.count == 1 && !harness.published.contains { $0.exchange == "martlet.dead" })
    }

    @Test func triesFullWaitingQueueLessOften() throws {
        let harness = busy()
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        pass(harness, seconds: 16)
        var asked: [Int] = []
        for second in 0..<300 {
            if harness.waiting.count > asked.count {
                asked.append(second)
                harness.publisher(.refused([try #require(harness.waiting.last).id]))
            }
            pass(harness, seconds: 1)
        }
        #expect(asked == [0, 1, 6, 36, 156, 276])
        pass(harness, seconds: 120)
        harness.confirm(try #require(harness.waiting.last))
        #expect(harness.acknowledged == [7])
        // After an accepted move, the back-off starts again.
        harness.deliver(jobBody("next"), number: 8, lane: .bulk)
        pass(harness, seconds: 16)
        #expect(harness.waiting.count == asked.count + 2)
    }

    /// On shutdown, the job is requeued to its lane, which accepts it.
    @Test func requeuesRefusedMoveOnDrain() throws {
        let harness = busy()
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        pass(harness, seconds: 16)
        harness.publisher(.refused([try #require(harness.waiting.first).id]))
        harness.drain()
        #expect(harness.moved.last == "martlet.moved bulk.returned")
    }
}

extension AMQPPublication {
    /// The lane of the waiting queue to which the job moves.
    fileprivate var lane: Substring { routingKey.prefix { $0 != "." } }
}
