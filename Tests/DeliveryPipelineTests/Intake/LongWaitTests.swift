import AMQPClient
import DeliveryPipeline
import PushModel
import Testing

/// What waits here for long, since others have all the room for as long as they have work, and what the overflow queues do not take.
@Suite struct LongWaitTests {
    /// Four jobs in flight take all the room.
    private func busy(longestWait: Int = 15) -> PipelineHarness {
        let harness = PipelineHarness(maximumInFlight: 8) {
            ($0.limits.appShare, $0.limits.urgentShare, $0.limits.longestWait) = (100, 0, longestWait)
        }
        harness.deliver((0..<4).map { .sample(jobBody("normal-\($0)"), number: $0) })
        return harness
    }

    private func pass(_ harness: PipelineHarness, seconds: Int64) {
        harness.pass(seconds: seconds)
        // So that there is a turn.
        harness.publisher(.confirmed([]))
    }

    @Test func whatWaitsForTooLongWaitsInTheBroker() {
        let harness = busy()
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        harness.deliver([.sample(jobBody("back"), number: 8, from: .overflow(.normal))])
        #expect(harness.started.count == 4)
        pass(harness, seconds: 14)
        #expect(harness.overflowed.isEmpty)
        pass(harness, seconds: 2)
        #expect(harness.overflowed.map(\.routingKey) == ["normal.overflow", "bulk.overflow"])
        #expect(harness.core.currentCounts().jobsOverflowed == 2)
        for publication in harness.overflowed { harness.confirm(publication) }
        #expect(harness.acknowledged == [8, 7])
        pass(harness, seconds: 60)
        #expect(harness.overflowed.count == 2 && harness.started.count == 4)
    }

    /// A suspect would otherwise be taken for poison once the broker has lost patience with it three times.
    @Test func aSuspectGoesBackToTheSuspects() {
        let harness = busy()
        harness.deliver([.sample(jobBody("suspect"), number: 7, from: .suspects)])
        pass(harness, seconds: 16)
        #expect(harness.moved == ["martlet.moved suspects"])
    }

    /// A clock that was an hour ahead for a moment.
    @Test func theRuleHoldsThoughTheClockIsSetBack() {
        let harness = busy()
        harness.pass(seconds: 3_600)
        harness.deliver(jobBody("first"), number: 6, lane: .bulk)
        harness.pass(seconds: -3_600)
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        pass(harness, seconds: 16)
        #expect(harness.overflowed.count == 2)
    }

    /// It would be on its way for as long, and be sent twice if the connection is lost meanwhile over which its delivery came.
    @Test(arguments: [AMQPPublisherEvent.blocked(reason: "memory"), .disconnected(AMQPError(.connectionLost, "gone"))])
    func nothingIsMovedWhileTheBrokerTakesNothing(event: AMQPPublisherEvent) {
        let harness = busy()
        harness.publisher(event)
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        harness.deliver((10..<300).map { .sample(jobBody("flood-\($0)"), number: $0) })
        pass(harness, seconds: 16)
        #expect(harness.overflowed.isEmpty)
        harness.publisher(.connected)
        #expect(harness.overflowed.contains { $0.routingKey == "bulk.overflow" })
    }

    @Test func whatTheOverflowQueueDoesNotTakeIsSentWhenThereIsRoom() throws {
        let harness = busy()
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        pass(harness, seconds: 16)
        let copy = try #require(harness.overflowed.first)
        harness.publisher(.refused([copy.id]))
        #expect(harness.core.currentCounts().jobsWaiting == 1)
        harness.report(try harness.job(0), [.sent, .sent])
        harness.confirmAllEvents()
        #expect(harness.started.last == "bulk")
        harness.report(try harness.job(4), [.sent, .sent])
        harness.confirmAllEvents()
        #expect(harness.acknowledged == [0, 7])
        #expect(harness.overflowed.count == 1 && !harness.published.contains { $0.exchange == "martlet.dead" })
    }

    @Test func aFullOverflowQueueIsAskedLessOftenEachTime() throws {
        let harness = busy()
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        pass(harness, seconds: 16)
        var asked: [Int] = []
        for second in 0..<300 {
            if harness.overflowed.count > asked.count {
                asked.append(second)
                harness.publisher(.refused([try #require(harness.overflowed.last).id]))
            }
            pass(harness, seconds: 1)
        }
        #expect(asked == [0, 1, 6, 36, 156, 276])
        pass(harness, seconds: 120)
        harness.confirm(try #require(harness.overflowed.last))
        #expect(harness.acknowledged == [7])
        // As before.
        harness.deliver(jobBody("next"), number: 8, lane: .bulk)
        pass(harness, seconds: 16)
        #expect(harness.overflowed.count == asked.count + 2)
    }

    /// A stop puts it back where there is room.
    @Test func aStopDoesNotKeepWhatIsRefused() throws {
        let harness = busy()
        harness.deliver(jobBody("bulk"), number: 7, lane: .bulk)
        pass(harness, seconds: 16)
        harness.publisher(.refused([try #require(harness.overflowed.first).id]))
        harness.drain()
        #expect(harness.moved.last == "martlet.jobs bulk")
    }
}
