import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Testing

@Suite struct IntakeTests {
    private let gone = AMQPConsumerEvent.disconnected(AMQPError(.connectionFailed, "gone"))

    @Test func startsUrgentJobsFirstAtLimit() throws {
        let harness = PipelineHarness(maximumInFlight: 3)
        harness.deliver((1...4).map { .sample(jobBody("bulk-\($0)"), number: $0, lane: .bulk) })
        #expect(harness.started == ["bulk-1", "bulk-2"], "a third job would exceed the limit")
        #expect(harness.core.currentCounts().jobsWaiting == 2)
        harness.deliver(jobBody("urgent"), number: 1, lane: .urgent)
        #expect(harness.started.count == 2)

        let first = try harness.job(0)
        harness.report(first, [.sent, .sent])
        #expect(harness.started.count == 2, "unconfirmed outcomes must count")
        try harness.confirmEvent(0)
        #expect(harness.started == ["bulk-1", "bulk-2", "urgent"])
        #expect(harness.core.currentCounts().obligationsOpen == 4)
    }

    @Test func startsSingleJobLargerThanLimit() {
        let harness = PipelineHarness(maximumInFlight: 1)
        harness.deliver(jobBody())
        #expect(harness.started == ["order-1"])
    }

    @Test(arguments: [true, false])
    func dropsWaitingJobsWhenConnectionIsLost(isClosed: Bool) throws {
        let harness = PipelineHarness(maximumInFlight: 1)
        harness.consumer(.connected(queues: []))
        harness.deliver((1...3).map { .sample(jobBody("\($0)"), number: $0) })
        harness.consumer(isClosed ? .closed(nil) : gone)
        var counts = harness.core.currentCounts()
        #expect(counts.jobsWaiting == 0 && counts.jobsOpen == 1 && !counts.isConsuming)

        // The started job ends normally, but its connection is lost, so it is not acknowledged.
        harness.consumer(.connected(queues: []))
        harness.report(try harness.job(0), [.sent, .sent])
        try harness.confirmEvent(0)
        #expect(harness.started == ["1"])
        #expect(harness.acknowledged == [])
        counts = harness.core.currentCounts()
        #expect(counts.jobsOpen == 0 && counts.isConsuming)
    }

    @Test func dropsOnlyJobsOfLostConnection() throws {
        let harness = PipelineHarness(maximumInFlight: 1)
        let connections = JobQueue.connections
        #expect(
            Set(connections.flatMap { $0 }).count == JobQueue.all.count
                && connections.flatMap { $0 }.count == JobQueue.all.count)
        for (number, queues) in connections.enumerated() {
            #expect(!harness.core.currentCounts().isConsuming, "before connection \(number)")
            harness.core.received(.connected(queues: []), of: queues)
        }
        #expect(harness.core.currentCounts().isConsuming)
        harness.deliver(jobBody("first"), number: 1, lane: .urgent)
        harness.deliver(jobBody("normal"), number: 2, lane: .normal)
        harness.deliver(jobBody("urgent"), number: 3, lane: .urgent)
        harness.core.received(gone, of: connections[0])
        let counts = harness.core.currentCounts()
        #expect(counts.jobsWaiting == 1 && !counts.isConsuming)
        #expect(harness.released.map(\.number) == [3], "the waiting job must be released")
        harness.report(try harness.job(0), [.sent, .sent])
        try harness.confirmEvent(0)
        #expect(harness.started == ["first", "normal"])
        #expect(harness.released.map(\.number) == [3, 1] && harness.acknowledged == [])
    }

    @Test func requeuesWaitingJobsAndFinishesStartedOnesOnDrain() throws {
        let harness = PipelineHarness(maximumInFlight: 1)
        harness.deliver((1...3).map { .sample(jobBody("\($0)"), number: $0) })
        harness.drain()
        #expect(
            harness.moved == ["martlet.moved normal.returned", "martlet.moved normal.returned"],
            "both must be requeued to the lane")
        harness.deliver(jobBody("late"), number: 4)
        #expect(harness.moved.count == 3)
        #expect(harness.started == ["1"])
        #expect(harness.acknowledged == [])
        for publication in harness.published { harness.confirm(publication) }
        #expect(harness.acknowledged == [2, 3, 4])

        harness.report(try harness.job(0), [.sent, .sent])
        #expect(harness.drained == 0)
        try harness.confirmEvent(0)
        #expect(harness.acknowledged == [2, 3, 4, 1])
        #expect(harness.drained == 1)
    }

    @Test func requeuesReturnedRecipientsWithoutCountingAttempt() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(), number: 7)
        harness.drain()
        harness.report(try harness.job(0), [.sent, .returned])
        #expect(harness.moved == ["martlet.moved normal.returned"])
        let left = try #require(harness.published.first { $0.exchange == "martlet.moved" })
        #expect(left.properties.headers["x-martlet-attempt"] == 1)
        #expect(left.properties.headers["x-martlet-first-attempt-at"] == nil)
        #expect(left.properties.headers["x-martlet-redelivered"] == nil)
        #expect(try decodedJob(String(decoding: left.body, as: UTF8.self)).recipients.count == 1)
        for publication in harness.published { harness.confirm(publication) }
        #expect(harness.acknowledged == [7])
        #expect(harness.drained == 1)
    }

    @Test func drainsIdlePipelineAtOnceForEachCaller() {
        let harness = PipelineHarness()
        harness.drain()
        harness.drain()
        #expect(harness.drained == 2)
        harness.consumer(.stopped)
        #expect(harness.drained == 2, "each callback must be called once")
    }

    @Test func endsDrainAfterLostConnection() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody())
        harness.drain()
        harness.consumer(gone)
        harness.consumer(.closed(nil))
        harness.report(try harness.job(0), [.sent, .sent])
        try harness.confirmEvent(0)
        #expect(harness.drained == 1)
    }

    @Test(arguments: [nil, AMQPError(.timedOut, "no answer")])
    func reportsSettledDrainIfConnectionClosedCleanly(error: AMQPError?) {
        let harness = PipelineHarness()
        harness.drain()
        harness.consumer(.closed(nil))
        harness.consumer(.closed(error))
        let counts = harness.core.currentCounts()
        #expect(DrainEnd(isInTime: true, unconfirmed: 0, counts) == (error == nil ? .settled : .unanswered))
        #expect(DrainEnd(isInTime: true, unconfirmed: 1, counts) == .unsettled)
        #expect(DrainEnd(isInTime: false, unconfirmed: 0, counts) == .unsettled)
    }

    @Test func usesMessageIDOrGeneratesJobID() throws {
        let harness = PipelineHarness()
        let body = jobBody().replacing(#""id":"order-1","#, with: "")
        harness.deliver(body, number: 1, properties: AMQPProperties(messageID: "m-1"))
        harness.deliver(body, number: 2)
        harness.deliver(body, number: 3)
        let ids = harness.started
        try #require(ids.count == 3)
        #expect(ids[0] == "m-1")
        #expect(Set(ids).count == 3)
        #expect(ids[1].wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil, "\(ids[1])")
    }
}
