import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Testing

/// Jobs whose connection to the broker is lost while their pushes are on the wire.
@Suite struct RedeliveryTests {
    private static let lost = AMQPConsumerEvent.disconnected(AMQPError(.connectionLost, "gone"))

    /// Returns a worker that lost the connection over which it received these deliveries.
    private func orphaned(
        _ deliveries: [AMQPDelivery], claims: Bool = false,
        _ configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) -> PipelineHarness {
        let harness = PipelineHarness(configure)
        harness.consumer(.connected(queues: []))
        harness.deliver(deliveries)
        harness.consumer(Self.lost)
        harness.consumer(.connected(queues: []))
        return harness
    }

    /// Returns a redelivery of a job.
    ///
    /// - Parameter count: the number of earlier deliveries, as counted by the broker.
    private func again(
        _ body: String = jobBody(), number: UInt64 = 7, connection: UInt32 = 2, queue: JobQueue = .lane(.normal),
        properties: AMQPProperties = AMQPProperties(), redelivered: Bool = true, count: Int64 = 1
    ) -> AMQPDelivery {
        var properties = properties
        if properties.headers["x-delivery-count"] == nil { properties.headers["x-delivery-count"] = .int64(count) }
        return .sample(
            body, number: number, from: queue, properties: properties, redelivered: redelivered, connection: connection)
    }

    private func finish(_ harness: PipelineHarness, job: Int = 0) throws {
        let before = harness.events.count
        harness.report(try harness.job(job), [.sent, .sent])
        for event in harness.events.dropFirst(before) { harness.confirm(event) }
    }

    // MARK: The same message

    @Test func continuesRedeliveredJob() throws {
        let harness = orphaned([.sample(jobBody(), number: 1)])
        let delivery = again(properties: AMQPProperties(headers: ["x-delivery-count": 1]))
        harness.deliver([delivery])
        #expect(harness.started == ["order-1"] && harness.acknowledgements.isEmpty)
        #expect(harness.released == [delivery.tag], "the bytes must count once")
        try finish(harness)
        #expect(harness.acknowledgements.map(\.tag) == [delivery.tag])
        #expect(harness.released.count == 2)
        #expect(try harness.outcomes().map { $0["redelivered"] } == [nil, nil], "each push must be sent once")
        let counts = harness.core.currentCounts()
        #expect(counts.jobsResumed == 1 && counts.jobsOpen == 0 && counts.jobsAcknowledged == 1)
    }

    @Test func acknowledgesRedeliveryOfEndedJob() throws {
        let harness = orphaned([.sample(jobBody(), number: 1)])
        try finish(harness)
        #expect(harness.acknowledgements.isEmpty, "the connection is lost")
        harness.deliver([again()])
        #expect(harness.acknowledged == [7] && harness.started == ["order-1"])
        harness.deliver([again(number: 8)])
        #expect(harness.started == ["order-1", "order-1"], "an equal message must be sent")
    }

    @Test(arguments: [(300, 1), (301, 2)] as [(Int64, Int)])
    func resendsJobThatEndedMoreThan300SecondsAgo(seconds: Int64, sendings: Int) throws {
        let harness = orphaned([.sample(jobBody(), number: 1)])
        try finish(harness)
        harness.pass(seconds: seconds)
        harness.deliver([again()])
        #expect(harness.started.count == sendings)
    }

    @Test func continuesJobOverSeveralLosses() throws {
        let harness = orphaned([.sample(jobBody(), number: 1)])
        for connection in 2...7 as ClosedRange<UInt32> {
            harness.deliver([again(number: 1, connection: connection, count: Int64(connection) - 1)])
            harness.consumer(Self.lost)
            harness.consumer(.connected(queues: []))
        }
        harness.deliver([again(number: 3, connection: 8, count: 7)])
        try finish(harness)
        #expect(harness.started.count == 1)
        #expect(harness.acknowledgements.map(\.tag) == [again(number: 3, connection: 8).tag])
    }

    @Test func settlesEachOfSeveralEqualMessagesOnce() throws {
        let harness = orphaned([.sample(jobBody(), number: 1), .sample(jobBody(), number: 2)])
        try finish(harness, job: 0)
        harness.deliver([again(number: 1), again(number: 2), again(number: 3)])
        #expect(harness.acknowledged == [2], "one job has ended, and one is running")
        #expect(harness.started.count == 3, "the third is another message")
        try finish(harness, job: 1)
        try finish(harness, job: 2)
        #expect(harness.acknowledged == [2, 1, 3])
    }

    /// The other worker may have sent pushes without reporting their outcomes.
    @Test(arguments: [false, true]) func resendsJobThatAnotherWorkerReceivedInBetween(hasEnded: Bool) throws {
        let harness = orphaned([.sample(jobBody(), number: 1)])
        if hasEnded { try finish(harness) }
        harness.deliver([again(count: 2)])
        #expect(harness.started.count == 2 && harness.acknowledged.isEmpty)
        let before = harness.events.count
        try finish(harness, job: 1)
        #expect(harness.acknowledged == [7] && harness.core.currentCounts().jobsResumed == 0)
        let outcomes = try harness.outcomes().suffix(2)
        #expect(harness.events.count > before && outcomes.allSatisfy { $0["redelivered"] != nil })
    }

    /// If a broker stops while it dead-letters a message, it dead-letters the message again.
    @Test(arguments: [(true, 0, true), (false, 0, false), (true, 301, false)] as [(Bool, Int64, Bool)])
    func flagsCopyThatBrokerDeadLettered(isDeadLetter: Bool, seconds: Int64, isMarked: Bool) throws {
        let harness = orphaned([.sample(jobBody(), number: 1)])
        harness.deliver([again()])
        try finish(harness)
        harness.pass(seconds: seconds)
        let death: AMQPFieldTable = ["x-death": .array([.table(["queue": "q", "reason": "expired"])])]
        let properties = AMQPProperties(headers: isDeadLetter ? death : [:])
        harness.deliver([.sample(jobBody(), number: 8, properties: properties)])
        try finish(harness, job: 1)
        #expect(harness.acknowledged == [7, 8] && harness.core.currentCounts().jobsResumed == 1)
        #expect(try harness.outcomes().suffix(2).allSatisfy { ($0["redelivered"] != nil) == isMarked })
    }

    /// The other worker claimed the job's name and crashed.
    @Test func reportsJobThatAnotherWorkerClaimedInBetween() throws {
        let body = jobBody(more: #""at_most_once":true,"#)
        let harness = orphaned([.sample(body, number: 1)], claims: true)
        harness.deliver([again(body, count: 2)])
        for place in 0..<2 {
            try #require(harness.claims.count == place + 1)
            harness.claimed(harness.claims[place], fresh: [])
        }
        #expect(harness.started.isEmpty)
        harness.flush()
        for event in harness.events { harness.confirm(event) }
        #expect(harness.acknowledged == [7])
        #expect(try harness.outcomes().map { $0["kind"] } == ["unknown", "unknown"])
    }

    @Test func sendsNewMessageWithSameContent() throws {
        let harness = orphaned([.sample(jobBody(), number: 1)])
        harness.deliver([again(redelivered: false)])
        #expect(harness.started.count == 2)
        try finish(harness, job: 1)
        #expect(harness.acknowledged == [7])
    }

    @Test func sendsMessageThatMatchesNoOrphan() {
        let others: [AMQPDelivery] = [
            again(jobBody(more: " ")), again(queue: .lane(.bulk)), again(queue: .waiting(.normal, 0)),
            again(properties: AMQPProperties(messageID: "m")), again(properties: AMQPProperties(timestamp: 1)),
            again(properties: AMQPProperties(userID: "u")),
            again(properties: AMQPProperties(headers: ["x-martlet-attempt": 2])),
            again(properties: AMQPProperties(headers: ["x-martlet-part": "p"])),
        ]
        for other in others {
            let harness = orphaned([.sample(jobBody(), number: 1)])
            harness.deliver([other])
            #expect(harness.started.count == 2, "\(other.properties)")
        }
    }

    /// RabbitMQ sorts headers when it adds its own.
    @Test func identifiesMessageByUnchangedProperties() {
        let first: AMQPFieldTable = [
            "z": 1, "x-martlet-part": "p", "x-martlet-attempt": 2, "x-delivery-count": 50, "a": .table(["k": 1]),
        ]
        let returned: AMQPFieldTable = [
            "a": .table(["k": 1]), "x-acquired-count": 1, "x-delivery-count": 1, "x-martlet-attempt": 2,
            "x-martlet-part": "p", "z": 1,
        ]
        let harness = orphaned([.sample(jobBody(), number: 1, properties: AMQPProperties(headers: first))])
        harness.deliver([again(properties: AMQPProperties(headers: returned))])
        #expect(harness.started.count == 1)
    }

    @Test func remembersBoundedNumberOfEndedJobs() throws {
        let (harness, batch) = (PipelineHarness(), 2_000 as UInt64)
        let batches = UInt64(Orphans.mostEnded) / batch + 1
        func body(_ number: UInt64) -> String {
            PacedSite.body("\(number)", recipients: 1, more: #""results":"problems","#)
        }
        for first in stride(from: 0 as UInt64, to: batches * batch, by: Int(batch)) {
            harness.consumer(.connected(queues: []))
            harness.deliver((first..<first + batch).map { .sample(body($0), number: $0 + 1) })
            harness.consumer(Self.lost)
            harness.core.report(harness.output.jobs.suffix(Int(batch)).map { $0.outcome(0, .sent) })
            harness.finishTurn()
            #expect(harness.core.currentCounts().jobsOpen == 0)
        }
        harness.consumer(.connected(queues: []))
        harness.deliver((0..<batches * batch).map { again(body($0), number: $0 + 1) })
        #expect(harness.acknowledged.count == Orphans.mostEnded)
        #expect(harness.core.currentCounts().jobsResumed == Orphans.mostEnded)
    }

    // MARK: Moved and split jobs

    @Test func keepsRefusedMoveAfterRedelivery() throws {
        let body = jobBody(more: #""send_at":1800000900,"#)
        let harness = orphaned([.sample(body, number: 1)])
        let move = try #require(harness.published.first)
        harness.deliver([again(body)])
        harness.publisher(.refused([move.id]))
        harness.passRefusalWaits()
        #expect(harness.published.map(\.id) == [move.id, move.id])
        harness.confirm(move)
        #expect(harness.acknowledged == [7])
    }

    @Test func acknowledgesRedeliveryOfJobThatWaitingQueueRefused() throws {
        let harness = PipelineHarness(maximumInFlight: 1) { $0.limits.longestWait = 400 }
        harness.consumer(.connected(queues: []))
        harness.deliver([.sample(jobBody("1"), number: 1), .sample(jobBody("2"), number: 2)])
        harness.pass(seconds: 500)
        harness.flush()
        harness.deliver([])
        let move = try #require(harness.waiting.first)
        harness.consumer(Self.lost)
        harness.consumer(.connected(queues: []))
        harness.deliver([again(jobBody("2"), number: 4), again(jobBody("1"), number: 5)])
        harness.publisher(.refused([move.id]))
        try finish(harness)
        #expect(harness.started == ["1", "2"], "the job must start when capacity is free")
        try finish(harness, job: 1)
        #expect(harness.acknowledged == [5, 4])
        #expect(harness.acknowledgements.allSatisfy { $0.tag.epoch == 2 })
    }

    @Test func resendsJobWhoseRefusedMoveWasDropped() throws {
        let body = jobBody(more: #""send_at":1800000900,"#)
        let harness = orphaned([.sample(body, number: 1)])
        harness.publisher(.refused([try #require(harness.published.first).id]))
        harness.deliver([again(body)])
        #expect(harness.published.count == 2 && harness.core.currentCounts().jobsResumed == 0)
    }

    @Test func splitsJobAgainAfterLostConnection() throws {
        let properties = AMQPProperties(headers: ["x-martlet-part": "name", "x-martlet-chunk-size": 1])
        let body = PacedSite.body("large", recipients: 40)
        let harness = orphaned([.sample(body, number: 1, properties: properties)])
        let first = harness.published
        for chunk in first { harness.confirm(chunk) }
        #expect(first.count == 32 && harness.acknowledged == [])
        harness.deliver([again(body, properties: properties)])
        var confirmed = 32
        while confirmed < harness.published.count {
            harness.confirm(harness.published[confirmed])
            confirmed += 1
        }
        #expect(confirmed == 72, "all 40 chunks must be published again")
        #expect(harness.acknowledged == [7])
    }

    /// Returns a worker that began to split a job into forty chunks after the connection of the job's delivery was
    /// lost.
    private func splitting(_ body: String) throws -> PipelineHarness {
        let harness = orphaned([.sample(body, number: 1)])
        try harness.grantClaims()
        try #require(harness.published.count == 32, "32 chunks may be unconfirmed")
        return harness
    }

    private func confirmAll(of harness: PipelineHarness, from start: Int) {
        var confirmed = start
        while confirmed < harness.published.count {
            harness.confirm(harness.published[confirmed])
            confirmed += 1
        }
    }

    private static let large = PacedSite.body("large", recipients: 40 * 500, more: #""at_most_once":true,"#)

    @Test func splitsJobAgainAfterTwoLostConnections() throws {
        let harness = try splitting(Self.large)
        harness.consumer(Self.lost)
        harness.consumer(.connected(queues: []))
        harness.deliver([again(Self.large, connection: 3)])
        confirmAll(of: harness, from: 0)
        #expect(harness.core.currentCounts().jobsResumed == 0, "8 chunks were never published")
        #expect(harness.acknowledged == [])
    }

    @Test func splitsJobAgainAfterRefusedChunk() throws {
        let harness = try splitting(Self.large)
        harness.publisher(.refused([try #require(harness.published.first).id]))
        confirmAll(of: harness, from: 1)
        #expect(harness.published.count == 32, "no more chunks may be published")
        harness.deliver([again(Self.large)])
        #expect(harness.core.currentCounts().jobsResumed == 0 && harness.acknowledged == [])
    }

    @Test func deadLettersRedeliveredJobOnce() throws {
        let harness = orphaned([.sample("{", number: 1)])
        harness.deliver([again("{")])
        #expect(harness.published.count == 2, "the dead letter and its event")
        for publication in harness.published { harness.confirm(publication) }
        #expect(harness.acknowledged == [7])
    }

    @Test(arguments: [true, false]) func usesLastTagToRejectJobThatCannotBeDeadLettered(returnsFirst: Bool) throws {
        let harness = orphaned([.sample("{", number: 1)])
        if returnsFirst { harness.deliver([again("{")]) }
        let dead = try #require(harness.published.first { $0.exchange == "martlet.dead" })
        harness.publisher(.returned(AMQPReturn(id: dead.id, code: 406, text: "too large")))
        for event in harness.events { harness.confirm(event) }
        #expect(harness.rejected.map(\.number) == (returnsFirst ? [7] : []))
        guard !returnsFirst else { return }
        harness.deliver([again("{")])
        #expect(harness.moved.count == 2, "the broker still has the job, so it must be handled again")
    }

    // MARK: Claims and stops

    @Test func requestsClaimOfRedeliveredJobOnce() throws {
        let body = jobBody(more: #""at_most_once":true,"#)
        let harness = orphaned([.sample(body, number: 1)])
        harness.deliver([again(body)])
        #expect(harness.claims.count == 1)
        try harness.grantClaims()
        #expect(harness.claims.count == 1 && harness.started == ["order-1"])
        try finish(harness)
        #expect(harness.acknowledged == [7])
        #expect(try harness.outcomes().map { $0["kind"] } == ["sent", "sent"], "must not be unknown")
    }

    /// The database answers that another message has claimed the job's name. That message is sent, so this job must be
    /// dropped although it was redelivered.
    @Test func dropsCopyRedeliveredBeforeClaimIsAnswered() throws {
        let body = jobBody(more: #""at_most_once":true,"#)
        let harness = orphaned([.sample(body, number: 1)])
        harness.deliver([again(body)])
        harness.claimed(try #require(harness.claims.first), fresh: [])
        #expect(harness.started.isEmpty && harness.events.isEmpty && harness.acknowledged == [7])
    }

    @Test func continuesRedeliveredJobWhileStopping() throws {
        let harness = orphaned([.sample(jobBody(), number: 1)])
        harness.drain()
        harness.deliver([again()])
        #expect(harness.moved.isEmpty && harness.drained == 0)
        try finish(harness)
        #expect(harness.acknowledged == [7] && harness.drained == 1)
    }

    @Test func dropsWaitingJobsOnLostConnection() {
        let harness = orphaned([.sample(jobBody("1"), number: 1), .sample(jobBody("2"), number: 2)]) {
            $0.limits.maximumInFlight = 1
        }
        #expect(harness.started == ["1"] && harness.released.map(\.number) == [2])
        harness.deliver([again(jobBody("1"), number: 1), again(jobBody("2"), number: 2)])
        #expect(harness.core.currentCounts().jobsWaiting == 1 && harness.started == ["1"])
    }
}
