import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Store
import Testing

/// Tests of the rate limits of apps and jobs. Only a few of the jobs that exceed a rate limit wait in the worker. The
/// others wait in the broker.
@Suite struct RateLimitsTests {
    @Test func sendsToAppAtConfiguredRate() {
        let site = PacedSite(100)
        site.deliver(100, of: 10)
        for _ in 0..<100 { site.harness.passPace(milliseconds: 20) }
        #expect((200...210).contains(site.sent), "200 pushes in 2 seconds, plus a small burst")
        #expect(site.harness.waiting.count == 60, "only four seconds' work may wait in the worker")
        #expect(site.paced.isEmpty)
    }

    @Test func sharesRateWithOtherWorkers() {
        let site = PacedSite(100, workers: 4)
        site.deliver(10, of: 1)
        for _ in 0..<10 { site.harness.passPace(milliseconds: 20) }
        #expect(site.sent == 6, "25 pushes per second, plus the first at once")
        site.harness.recorder.withRecord { $0.workers = 1 }
        for _ in 0..<2 { site.harness.passPace(milliseconds: 20) }
        #expect(site.sent == 10)
    }

    @Test func doesNotDelayOtherApps() {
        let site = PacedSite(1)
        site.deliver(200, of: 1, lane: .bulk)
        site.deliver(50, of: 10, lane: .bulk, from: 1_000, app: "com.example.other")
        #expect(site.sent == 501)
        #expect(site.harness.core.currentCounts().jobsWaiting <= 4)
        #expect(site.harness.waiting.allSatisfy { $0.routingKey.hasPrefix("bulk.waiting.") })
    }

    @Test(arguments: [false, true])
    func limitsUrgentLaneOnlyIfIncluded(includesUrgent: Bool) {
        let site = PacedSite(1, includesUrgent: includesUrgent)
        site.deliver(3, of: 1, lane: .urgent)
        #expect(site.sent == (includesUrgent ? 1 : 3))
        site.deliver(1, of: 1, lane: .normal, from: 10)
        #expect(site.sent == (includesUrgent ? 1 : 4), "exempt jobs must not be charged")
    }

    @Test func movesExcessJobsToWaitingQueue() throws {
        let site = PacedSite(100)
        site.deliver(300, of: 10)
        let messages = site.harness.waiting
        #expect(messages.count == 260 && Set(messages.map(\.routingKey)).count == 1)
        #expect(messages.allSatisfy { $0.waitingSince == now.milliseconds })
        #expect(site.harness.core.currentCounts().jobsPaced == 260)
    }

    @Test func sendsWaitingJobOnceLimitIsRemoved() throws {
        let site = PacedSite(100)
        site.deliver(300, of: 10)
        let last = try #require(site.harness.waiting.last)
        site.harness.replaceSnapshot(apps: [PacedSite.shop(nil)])
        site.comesBack(last)
        #expect(site.harness.started.count == 41 && site.harness.waiting.count == 260)
    }

    @Test func excludesWaitFromAttemptsAndRetryTime() throws {
        let site = PacedSite(1)
        let first = now.milliseconds - 60_000
        site.deliver(
            2, of: 10,
            properties: AMQPProperties(headers: [
                "x-martlet-attempt": 3, "x-martlet-first-attempt-at": .int64(first), "x-martlet-part": "part-1",
            ]))
        #expect(site.sent == 10)
        let message = try #require(site.harness.waiting.first)
        #expect(message.properties.headers["x-martlet-attempt"] == 3)
        #expect(message.properties.headers["x-martlet-part"] == "part-1")
        let later = Timestamp(milliseconds: now.milliseconds + 5_000)
        let back = try #require(InboundJob(.sample(jobBody(), properties: message.properties), at: later))
        #expect(back.firstAttempt(now: later).milliseconds == first + 5_000)
    }

    /// The header of the first attempt may come from a publisher.
    @Test(arguments: [Int64.max, .min, -1]) func survivesForgedTimeOfFirstAttempt(time: Int64) throws {
        let properties = AMQPProperties(headers: [
            "x-martlet-first-attempt-at": .int64(time), "x-martlet-waiting-since": .int64(now.milliseconds - 1_000),
        ])
        let inbound = try #require(InboundJob(.sample(jobBody(), properties: properties), at: now))
        #expect((0...now.milliseconds).contains(inbound.firstAttempt(now: now).milliseconds))
    }

    @Test func doesNotDelayCancelledOrExpiredJob() throws {
        let site = PacedSite(1)
        site.deliver(1, of: 10)
        site.harness.cancellations(.changed([.init(job: "com.example.shop-5", isCancelled: true)]))
        site.deliver(1, of: 10, from: 5)
        site.harness.flush()
        #expect(try site.harness.outcomes().map { $0["reason"] } == Array(repeating: "Cancelled", count: 10))
        site.deliver(1, of: 10, from: 6, more: #""expires_at":1799999999,"#)
        #expect(
            site.harness.started == ["com.example.shop-1", "com.example.shop-6"], "the output must report the expiry")
        #expect(site.paced.isEmpty && site.harness.waiting.isEmpty)
    }

    @Test func splitsLargeJobByRateAtOnce() throws {
        let site = PacedSite(100)
        site.harness.deliver(PacedSite.body("first", recipients: 20))
        #expect(site.sent == 20)
        site.harness.deliver(PacedSite.body("big", recipients: 105), number: 2)
        let named = try #require(site.harness.published.last)
        #expect(named.properties.headers["x-martlet-chunk-size"] == 25)
        site.harness.recorder.withRecord { $0.workers = 10 }
        site.comesBack(named)
        let chunks = site.harness.published.filter { $0.properties.headers["x-martlet-chunk"] == true }
        #expect(chunks.count == 5, "the chunk size must not change with the rate")
        site.harness.recorder.withRecord { $0.workers = 1 }
        site.harness.pass(seconds: 1)
        site.comesBack(chunks[0], number: 1_001)
        try site.harness.grantClaims()
        #expect(site.sent == 45)
    }

    /// The chunks of an `at_most_once` job are named after the positions of their recipients, so their size is fixed. A
    /// chunk may leave a debt.
    @Test func keepsChunkSizeOfAtMostOnceJob() throws {
        let site = PacedSite(100)
        site.harness.deliver(PacedSite.body("once", recipients: 501, more: #""at_most_once":true,"#))
        try site.harness.grantClaims()
        let chunks = site.harness.published.filter { $0.properties.headers["x-martlet-chunk"] == true }
        #expect(chunks.count == 2)
        site.comesBack(chunks[0])
        try site.harness.grantClaims()
        #expect(site.sent == 500)
        site.deliver(1, of: 1, from: 7)
        #expect(site.harness.waiting.count == 1, "a wait of 5 s must be in the broker")
    }

    @Test func keepsDebtOnRateChange() throws {
        let site = PacedSite(2)
        site.deliver(1, of: 20)
        #expect(site.sent == 20, "the job must start at once and leave a debt")
        site.harness.replaceSnapshot(apps: [PacedSite.shop(4)])
        site.deliver(1, of: 20, in: .waiting(.normal, 0), from: 2)
        site.pass(seconds: 4)
        #expect(site.sent == 20)
        site.pass(seconds: 1)
        #expect(site.sent == 40, "a debt of 19 at 4 per second")
        site.harness.replaceSnapshot(apps: [PacedSite.shop(1_000)])
        site.deliver(1, of: 20, in: .waiting(.normal, 0), from: 3)
        #expect(site.sent == 40)
        site.pass(seconds: 1)
        #expect(site.sent == 60, "a debt of 19 at 1,000 per second")
    }

    // MARK: A job's own rate

    @Test func limitsOnlyJobWithOwnRate() {
        let site = PacedSite(nil)
        site.harness.deliver((1...5).map { PacedSite.part($0) })
        site.harness.deliver((11...15).map { PacedSite.part($0, job: "fast", ) })
        site.deliver(5, of: 10, from: 100)
        #expect(site.sent == 10 + 10 + 50)
        #expect(site.paced.count == 8)
        #expect(site.harness.core.currentCounts().jobsWaiting == 0)
        #expect(site.paced.allSatisfy { $0.properties.headers["x-martlet-slot-rate"] == 10 })
    }

    @Test func sendsPartAtAssignedSlot() throws {
        let site = PacedSite(nil)
        site.harness.deliver((1...5).map { PacedSite.part($0) })
        #expect(site.sent == 10)
        let messages = site.paced
        try #require(messages.count == 4)
        site.harness.pass(seconds: 1)
        site.comesBack(messages[0], number: 21)
        #expect(site.sent == 20)
        site.comesBack(messages[3], number: 22)
        #expect(site.sent == 20 && site.paced.count == 5, "an early part must wait for the rest")
    }

    @Test func appliesLowerOfTwoRates() {
        let site = PacedSite(20)
        site.harness.deliver((1...5).map { PacedSite.part($0, rate: 1_000) })
        #expect(site.sent == 10 && site.paced.isEmpty, "only the app's rate may apply")
    }

    @Test func splitsJobByOwnRateAndKeepsRateInChunks() throws {
        let site = PacedSite(nil)
        site.harness.deliver(PacedSite.body("big", recipients: 105, more: #""rate":200,"#))
        let named = try #require(site.harness.published.last)
        #expect(named.properties.headers["x-martlet-chunk-size"] == 50)
        site.comesBack(named)
        let chunk = try #require(site.harness.published.last)
        #expect(try JSON.object(chunk.body)["rate"] as? Int == 200)
    }
}
