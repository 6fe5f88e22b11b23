import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Store
import Testing

@Suite struct ClaimTests {
    private static let once = #""at_most_once":true,"#
    private static let chunk = AMQPProperties(headers: ["x-martlet-part": "7f#0-1", "x-martlet-chunk": true])
    private static let flaggedChunk = AMQPProperties(
        headers: ["x-martlet-part": "7f#0-1", "x-martlet-chunk": true, "x-martlet-redelivered": true])

    /// Delivers one job, answers its claim, and returns the result.
    private func outcome(
        _ body: String = jobBody(), properties: AMQPProperties = AMQPProperties(), redelivered: Bool = false,
        window: Int = 0, isFresh: Bool
    ) throws -> String {
        let harness = PipelineHarness { $0.limits.deduplicationWindow = window }
        harness.deliver(body, number: 3, properties: properties, redelivered: redelivered)
        #expect(harness.started == [], "the job must wait for its claim")
        let batch = try #require(harness.claims.first)
        #expect(batch.keys.count == 1)
        harness.claimed(batch, fresh: isFresh ? batch.keys : [])
        harness.flush()
        if harness.started == ["order-1"] { return "sent" }
        let kinds = Set(try harness.outcomes().map { "\($0["kind"] ?? "") \($0["reason"] ?? "")" })
        for event in harness.events { harness.confirm(event) }
        #expect(harness.acknowledged == [3])
        return kinds.isEmpty ? "dropped" : kinds.sorted().joined(separator: ", ")
    }

    @Test(
        arguments: [
            (false, true, "sent"), (true, true, "sent"), (false, false, "dropped"),
            (true, false, "unknown Redelivered"),
        ])
    func neverSendsAtMostOnceJobTwice(redelivered: Bool, isFresh: Bool, expected: String) throws {
        let outcome = try outcome(jobBody(more: Self.once), redelivered: redelivered, isFresh: isFresh)
        #expect(outcome == expected)
    }

    @Test(
        arguments: [
            (false, true, "sent"), (true, true, "sent"), (false, false, "dropped"), (true, false, "sent"),
        ])
    func dropsDuplicateJobWithinWindow(redelivered: Bool, isFresh: Bool, expected: String) throws {
        #expect(try outcome(redelivered: redelivered, window: 60, isFresh: isFresh) == expected)
    }

    @Test(
        arguments: [
            // Only the same job, split a second time, results in a chunk of this name.
            (false, false, false, "dropped"), (false, true, false, "sent"),
            (true, false, false, "dropped"), (true, false, true, "sent"), (true, true, false, "sent"),
        ])
    func dropsDuplicateChunk(flagged: Bool, redelivered: Bool, isFresh: Bool, expected: String) throws {
        let properties = flagged ? Self.flaggedChunk : Self.chunk
        #expect(try outcome(properties: properties, redelivered: redelivered, isFresh: isFresh) == expected)
    }

    @Test func sendsChunksWithoutAnswerWhileOtherJobsWait() throws {
        let harness = PipelineHarness()
        func deliver(_ id: String, number: UInt64, more: String = "", isChunk: Bool = false) {
            harness.deliver(
                jobBody(id, more: more), number: number,
                properties: isChunk
                    ? AMQPProperties(headers: ["x-martlet-part": .string("\(id)#1"), "x-martlet-chunk": true])
                    : AMQPProperties())
        }
        deliver("chunk-1", number: 1, isChunk: true)
        deliver("once-1", number: 2, more: Self.once)
        deliver("chunk-2", number: 3, isChunk: true)
        #expect(harness.started == [])
        harness.passLookUpTime()
        #expect(harness.started == ["chunk-1", "chunk-2"])
        deliver("chunk-3", number: 4, isChunk: true)
        #expect(harness.started == ["chunk-1", "chunk-2", "chunk-3"] && harness.claims.count == 1)
        // The database is available again.
        try harness.grantClaims()
        #expect(harness.claims.count == 2 && harness.started.count == 3)
        try harness.grantClaims()
        #expect(harness.started.last == "once-1")
        deliver("chunk-4", number: 5, isChunk: true)
        #expect(harness.started.count == 4 && harness.claims.count == 3)
    }

    @Test func requestsUnansweredClaimAgain() throws {
        let harness = PipelineHarness()
        for number in 1...3 as ClosedRange<UInt64> {
            harness.deliver(jobBody("once-\(number)", more: Self.once), number: number)
        }
        try harness.grantClaims()
        let both = try #require(harness.claims.last)
        #expect(both.requests.count == 2)
        harness.claimed(both, [.claimed])
        #expect(harness.started == ["once-1", "once-2"])
        let rest = try #require(harness.claims.last)
        #expect(harness.claims.count == 3 && rest.keys == Array(both.keys.suffix(1)))
        harness.claimed(rest, [.claimed])
        #expect(harness.started == ["once-1", "once-2", "once-3"])
    }

    @Test func requestsNoClaimForOtherJobs() {
        let harness = PipelineHarness { $0.limits.deduplicationWindow = 0 }
        harness.deliver(jobBody())
        #expect(harness.started == ["order-1"] && harness.claims.isEmpty)
        let deduplicating = PipelineHarness { $0.limits.deduplicationWindow = 60 }
        deduplicating.deliver(
            jobBody(), properties: AMQPProperties(headers: ["x-martlet-part": "p", "x-martlet-attempt": 2]))
        deduplicating.deliver(jobBody().replacing(#""id":"order-1","#, with: ""), number: 2)
        #expect(deduplicating.started.count == 2 && deduplicating.claims.isEmpty, "a retry or no id needs no claim")
    }

    @Test func rejectsAtMostOnceJobWithoutID() throws {
        let harness = PipelineHarness()
        let body = jobBody(more: Self.once).replacing(#""id":"order-1","#, with: "")
        harness.deliver(body)
        let event = try JSON.object(try harness.event(0).body)
        let errors = try JSON.objects(event["errors"])
        #expect(errors.first?["field"] as? String == "id")
        harness.deliver(body, number: 2, properties: AMQPProperties(messageID: "m-1"))
        #expect(harness.claims.count == 1)
    }

    @Test func sendsOneOfTwoCopiesInOneBatch() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody("first", more: Self.once), number: 1)
        harness.deliver([
            .sample(jobBody("same", more: Self.once), number: 2), .sample(jobBody("same", more: Self.once), number: 3),
        ])
        #expect(harness.claims.count == 1, "only one statement may run at a time")
        harness.claimed(harness.claims[0], fresh: harness.claims[0].keys)
        try #require(harness.claims.count == 2)
        #expect(harness.claims[1].keys.count == 2)
        harness.claimed(harness.claims[1], fresh: harness.claims[1].keys)
        #expect(harness.started == ["first", "same"])
        #expect(harness.acknowledged == [3])
        #expect(harness.core.currentCounts().jobsDuplicate == 1)
    }

    /// Two jobs with the same name are duplicates only if their content is identical, byte for byte.
    @Test(arguments: [(Self.once, 0, false), (Self.once, 0, true), ("", 60, false), ("", 60, true)])
    func rejectsJobThatReusesIDWithOtherContent(more: String, window: Int, redelivered: Bool) throws {
        let harness = PipelineHarness { $0.limits.deduplicationWindow = window }
        harness.deliver(jobBody(more: more), redelivered: redelivered)
        harness.claimed(harness.claims[0], [.differs])
        try #require(harness.published.map(\.exchange) == ["martlet.dead", "martlet.results"])
        let event = try JSON.object(harness.published[1].body)
        let error = try #require(JSON.objects(event["errors"]).first)
        #expect(error["field"] as? String == "id")
        let problem = try #require(error["problem"] as? String)
        #expect(problem.hasPrefix("was used for another job with different content within the last jobs."))
        #expect(harness.started == [] && event["job"] as? String == "order-1")
    }

    @Test func comparesContentOfWholeJobsOnly() throws {
        let harness = PipelineHarness()
        func request(_ body: String, _ properties: AMQPProperties = AMQPProperties()) throws -> ClaimRequest {
            harness.deliver(body, properties: properties)
            defer { harness.claimed(harness.claims[harness.claims.count - 1], [.claimed]) }
            return try #require(harness.claims.last?.requests.first)
        }
        func isTold(_ first: ClaimRequest, _ second: ClaimRequest) -> Bool {
            ClaimRequest(key: first.key, content: nil, owner: "")
                == ClaimRequest(key: second.key, content: nil, owner: "")
        }
        let job = try request(jobBody(more: Self.once))
        let other = try request(jobBody(more: Self.once).replacing("Ship", with: "Send"))
        #expect(isTold(job, other), "both must have the same name")
        #expect(job.content != nil && job.content != other.content)
        #expect(try request(jobBody(more: Self.once), Self.chunk).content == nil)
    }

    /// While the database is unavailable, the job must not stay unacknowledged for a long time. If its earlier claim
    /// succeeded late, the job must not be treated as a duplicate.
    @Test func delaysJobAfterTenSecondsWithoutClaim() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(more: Self.once), number: 6)
        harness.deliver(jobBody("order-2", more: Self.once), number: 7)
        for _ in 1...4 { harness.passLookUpTime() }
        #expect(harness.moved == [])
        harness.passLookUpTime()
        #expect(harness.moved == ["martlet.delay.30 normal.returned", "martlet.delay.30 normal.returned"])
        for publication in harness.published { harness.confirm(publication) }
        let counts = harness.core.currentCounts()
        #expect(harness.acknowledged == [6, 7] && counts.jobsOpen == 0)
        #expect(counts.jobsUnclaimed == 2 && counts.jobsHeld == 0, "the app must not be held")
        let owner = try #require(harness.claims.first?.requests.first?.owner)
        let waiting = harness.published[0]
        #expect(waiting.properties.headers["x-martlet-claim"] == .string(owner))
        #expect(waiting.properties.headers["x-martlet-part"] == nil, "the job must keep its name")
        // The database is available again, and answers a claim that has timed out.
        try harness.grantClaims()
        #expect(harness.started == [])
        harness.deliver([
            .sample(
                String(decoding: waiting.body, as: UTF8.self), number: 8, from: .lane(.normal),
                properties: waiting.properties)
        ])
        let again = try #require(harness.claims.last?.requests.first)
        #expect(again.predecessor == owner && again.owner != owner)
        try harness.grantClaims()
        #expect(harness.started == ["order-1"])
    }

    /// If each job waited for its own timeout, it would use capacity for ten seconds, and the jobs behind it would wait
    /// for minutes.
    @Test func delaysJobAtOnceWhileClaimsFail() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody("first", more: Self.once), number: 1)
        for _ in 1...5 { harness.passLookUpTime() }
        #expect(harness.moved.count == 1)
        harness.deliver(jobBody("second", more: Self.once), number: 2)
        #expect(harness.moved.count == 2 && harness.claims.count == 1)
        #expect(harness.published.last?.properties.headers["x-martlet-claim"] == nil, "no claim was requested")
        try harness.grantClaims()
        harness.deliver(jobBody("third", more: Self.once), number: 3)
        #expect(harness.moved.count == 2 && harness.claims.count == 2)
    }

    /// Jobs that wait in the broker must not count toward their app's share, so none is moved to the waiting queue.
    @Test func doesNotMoveJobsThatWaitForClaims() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody("first", more: Self.once), number: 1)
        for _ in 1...5 { harness.passLookUpTime() }
        harness.deliver(
            (2...2_001).map { .sample(jobBody("\($0)", more: Self.once), number: $0, from: .lane(.normal)) })
        #expect(harness.waiting.isEmpty)
        #expect(harness.moved.count == 2_001 && Set(harness.moved) == ["martlet.delay.30 normal.returned"])
    }

    /// The job has a claim request from an earlier delivery. It times out again behind another claim, before a second
    /// request is sent. Only the earlier request may have claimed the name.
    @Test func keepsEarlierClaimOfJobThatTimesOutBeforeNewRequest() throws {
        let (harness, first) = (PipelineHarness(), "0b6e1f0c-6a51-4c7e-9d3a-2f1e0d9c8b7a")
        harness.deliver(jobBody("asked", more: Self.once), number: 1)
        harness.deliver(
            jobBody("waits", more: Self.once), number: 2,
            properties: AMQPProperties(headers: ["x-martlet-claim": .string(first)]))
        harness.deliver(jobBody("is new", more: Self.once), number: 3)
        for _ in 1...5 { harness.passLookUpTime() }
        let claims = harness.published.map { $0.properties.headers["x-martlet-claim"]?.string }
        #expect(claims == [harness.claims[0].requests[0].owner, first, nil])
    }

    /// The job's earlier statement may have been committed late.
    @Test(arguments: [(Self.once, "unknown Redelivered"), ("", "sent")])
    func doesNotDropJobWhoseEarlierClaimMayHaveSucceeded(more: String, expected: String) throws {
        let properties = AMQPProperties(headers: ["x-martlet-claim": "0b6e1f0c-6a51-4c7e-9d3a-2f1e0d9c8b7a"])
        #expect(try outcome(jobBody(more: more), properties: properties, window: 60, isFresh: false) == expected)
    }

    @Test func flagsJobWhoseEarlierClaimMayHaveSucceeded() throws {
        let harness = PipelineHarness { $0.limits.deduplicationWindow = 60 }
        harness.deliver(
            jobBody(), properties: AMQPProperties(headers: ["x-martlet-claim": "0b6e1f0c-6a51-4c7e-9d3a-2f1e0d9c8b7a"]))
        harness.claimed(harness.claims[0], fresh: [])
        #expect(try harness.job(0).redelivered)
    }

    @Test func expiresJobBeforeClaimIsAnswered() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(more: Self.once + #""expires_at":1800000020,"#))
        for _ in 1...5 { harness.passLookUpTime() }
        harness.flush()
        #expect(try harness.outcomes().map { $0["reason"] } == ["DatabaseUnavailable", "DatabaseUnavailable"])
        #expect(try Set(harness.outcomes().map { $0["kind"] }) == ["expired"])
    }

    /// When the job returns, it must not be dropped as a duplicate of itself.
    @Test func renamesClaimedJobThatMustWait() throws {
        let harness = PipelineHarness(apps: [.shop])
        harness.deliver(jobBody(more: Self.once))
        harness.replaceSnapshot(apps: [.pausedShop])
        harness.claimed(harness.claims[0], fresh: harness.claims[0].keys)
        #expect(harness.moved == ["martlet.delay.30 normal.returned"])
        let waiting = try #require(harness.published.first)
        #expect(waiting.properties.headers["x-martlet-part"]?.string?.isEmpty == false)
        harness.replaceSnapshot(apps: [.shop])
        harness.deliver([
            .sample(
                String(decoding: waiting.body, as: UTF8.self), number: 2, from: .lane(.normal),
                properties: waiting.properties)
        ])
        #expect(harness.claims.count == 2)
        #expect(harness.claims[0].keys != harness.claims[1].keys)
    }

    /// A worker claimed the job and crashed. The next worker requeues it on shutdown. No other delivery settles it.
    @Test(arguments: [Self.once, ""])
    func doesNotDropRedeliveredJobThatWasRequeued(more: String) throws {
        let stopping = PipelineHarness()
        stopping.drain()
        stopping.deliver(jobBody(more: more), redelivered: true)
        try #require(stopping.moved == ["martlet.moved normal.returned"])
        let properties = stopping.published[0].properties
        let expected = more.isEmpty ? "sent" : "unknown Redelivered"
        #expect(try outcome(jobBody(more: more), properties: properties, window: 60, isFresh: false) == expected)
    }

    @Test func doesNotDropRedeliveredChunkThatWasRequeued() throws {
        for properties in [Self.chunk, Self.flaggedChunk] {
            let stopping = PipelineHarness()
            stopping.drain()
            stopping.deliver(jobBody(), properties: properties, redelivered: true)
            #expect(try outcome(properties: stopping.published[0].properties, isFresh: false) == "sent")
        }
    }

    @Test func dropsSecondCopyOfMovedJob() throws {
        let stopping = PipelineHarness()
        stopping.drain()
        stopping.deliver(jobBody(more: Self.once))
        #expect(stopping.published[0].repeatHeader == "x-martlet-redelivered")
        var properties = stopping.published[0].properties
        properties.headers["x-martlet-redelivered"] = true
        #expect(try outcome(jobBody(more: Self.once), properties: properties, isFresh: false) == "dropped")
    }

    @Test func distinguishesJobFromChunkOfSameName() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody("7f#0-1", more: Self.once), number: 1)
        harness.deliver(jobBody("order-1", more: Self.once), number: 2, properties: Self.chunk)
        try harness.grantClaims()
        try #require(harness.claims.count == 2)
        #expect(harness.claims[0].keys != harness.claims[1].keys)
    }

    /// When the job is corrected and replayed, it must not be dropped as a duplicate of itself.
    @Test func renamesClaimedJobThatIsDeadLettered() throws {
        let harness = PipelineHarness()
        let credential = #""credential":"0b6e1f0c-6a51-4c7e-9d3a-2f1e0d9c8b7a","#
        harness.deliver(jobBody(more: Self.once + credential))
        try harness.grantClaims()
        try #require(harness.published.map(\.exchange) == ["martlet.dead", "martlet.results"])
        #expect(harness.published[0].properties.headers["x-martlet-part"]?.string?.isEmpty == false)
    }

    @Test func drainWaitsForClaimAndRequeuesJob() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(more: Self.once), number: 4)
        harness.drain()
        #expect(harness.drained == 0)
        harness.claimed(harness.claims[0], fresh: harness.claims[0].keys)
        #expect(harness.started == [] && harness.moved == ["martlet.moved normal.returned"])
        harness.confirm(harness.published[0])
        #expect(harness.acknowledged == [4] && harness.drained == 1)
    }
}
