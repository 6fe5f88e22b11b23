import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Store
import Testing
import Routing

/// Tests of the time slots of rate-limited jobs that wait in the broker: assignment, release and the longest wait.
@Suite struct PacedLineTests {
    private let soon = now.milliseconds + 6_000

    private func slots(_ site: PacedSite, after count: Int = 0) -> [Int64] {
        site.paced.dropFirst(count).compactMap(\.slot)
    }

    @Test func releasesSlotsOfCancelledJobs() throws {
        let site = PacedSite(100)
        site.deliver(300, of: 10)
        let first = site.paced
        #expect(try #require(slots(site).max()) > now.milliseconds + 15_000)
        site.harness.cancellations(
            .changed((1...300).map { .init(job: "com.example.shop-\($0)", isCancelled: true) }))
        for (number, message) in first.enumerated() { site.comesBack(message, number: 1_000 + UInt64(number)) }
        #expect(site.paced.count == first.count, "cancelled jobs must not wait")
        site.deliver(1, of: 10, from: 500)
        #expect(try #require(slots(site, after: first.count).first) < soon)
    }

    @Test func reservesNoSlotForJobThatExpiresFirst() throws {
        let site = PacedSite(100)
        site.deliver(300, of: 10, more: #""expires_at":1800000010,"#)
        let count = site.paced.count
        #expect(slots(site).max() == 1_800_000_010_001)
        site.deliver(1, of: 10, from: 500)
        #expect(try #require(slots(site, after: count).first) < now.milliseconds + 11_000)
    }

    /// A job may return early with no job ahead of it, because the jobs ahead were cancelled or have expired, or
    /// because the slot comes from a wrong clock.
    @Test func sendsEarlyJobAtOnceIfNoneIsAhead() throws {
        let site = PacedSite(100)
        site.deliver(300, of: 10)
        let last = Array(site.paced.suffix(20))
        site.comesBack(last[19])
        #expect(site.paced.count == 261, "other jobs are ahead")
        site.pass(seconds: 6)
        #expect(site.sent == 400)
        for (number, message) in last.enumerated() { site.comesBack(message, number: 2_000 + UInt64(number)) }
        #expect(site.sent == 500, "at most one second's credit may be used")
        #expect(site.paced.count == 261 + 10)
    }

    @Test(arguments: [now.milliseconds + 7 * 86_400_000, .max, -1, .min])
    func ignoresImpossibleSlot(due: Int64) {
        let site = PacedSite(1)
        site.deliver(
            2, of: 1,
            properties: AMQPProperties(headers: [
                "x-martlet-slot": .int64(due), "x-martlet-slot-rate": 1,
            ]))
        #expect(site.sent == 1 && site.paced.isEmpty)
    }

    @Test func assignsNoSlotToScheduledJobBeforeItsTime() {
        let site = PacedSite(1)
        site.deliver(1, of: 20, from: 500)
        site.deliver(100, of: 10, more: #""send_at":1800003600,"#)
        #expect(site.paced.count == 100 && slots(site).isEmpty)
        #expect(site.harness.core.currentCounts().jobsWaiting == 0)
    }

    // MARK: Overflow queues

    /// The prefetch of a waiting queue is small, so blocked jobs must not use it up.
    @Test func assignsSlotsToRateLimitedJobsOfOverflowQueue() {
        let site = PacedSite(1)
        site.deliver(4, of: 2, in: .waiting(.normal, 0))
        #expect(site.sent == 2 && site.paced.count == 3)
        #expect(site.harness.core.currentCounts().jobsWaiting == 0)
        site.deliver(4, of: 2, in: .waiting(.normal, 0), from: 10, app: "com.example.other")
        #expect(site.sent == 10)
        #expect(site.harness.waiting.isEmpty)
    }

    @Test func assignsSlotsWhenOverflowPrefetchIsReduced() {
        let site = PacedSite(1_000_000)
        let harness = site.harness
        func deliver(_ count: Int, from first: UInt64) {
            site.deliver(count, of: 4, in: .waiting(.normal, 0), from: first)
        }
        deliver(1, from: 5_000_000)
        harness.passPace(milliseconds: 1_000)
        for round in 0..<10 {
            let before = harness.output.jobs.count
            deliver(harness.prefetches.last ?? 4, from: UInt64(round) * 10_000)
            for job in harness.output.jobs.dropFirst(before) {
                harness.report(job, Array(repeating: .sent, count: 4))
            }
            harness.confirmAllEvents()
            harness.passBeat()
        }
        harness.pass(seconds: 2)
        harness.passPace()
        deliver(1_500, from: 900_000)
        let before = site.paced.count
        harness.passBeat(8)
        #expect(harness.prefetches.last == 4)
        #expect(site.paced.count > before && harness.waiting.isEmpty)
    }

    // MARK: A job's own rate

    /// Only workers create parts, but any publisher can set the header.
    @Test func ignoresRateOfPartForgedByPublisher() {
        let site = PacedSite(nil, brokerUser: "martlet")
        site.harness.deliver((1...3).map { PacedSite.part($0, user: "shop") })
        #expect(site.sent == 30 && site.paced.isEmpty)
        site.harness.deliver((11...13).map { PacedSite.part($0, user: "martlet") })
        #expect(site.sent == 40 && site.paced.count == 2)
    }

    /// The part was charged, but could not start because the worker was full.
    @Test func chargesRedeliveredPartOnce() throws {
        let site = PacedSite(nil, maximumInFlight: 10)
        site.deliver(1, of: 10, from: 100)
        site.harness.deliver([PacedSite.part(1)])
        #expect(site.sent == 10)
        site.harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        site.harness.consumer(.connected(queues: []))
        site.harness.deliver([PacedSite.part(1)])
        #expect(site.paced.isEmpty)
        site.harness.report(try site.harness.job(0), Array(repeating: .sent, count: 10))
        site.harness.confirmAllEvents()
        #expect(site.sent == 20)
    }

    @Test func recordsWaitOfPartForItsOwnRate() throws {
        let site = PacedSite(nil)
        site.harness.deliver((1...30).map { PacedSite.part($0) })
        let last = try #require(site.paced.last)
        #expect(last.exchange == "martlet.delay.5" && last.properties.headers["x-martlet-paced"] == 5)
        site.harness.pass(seconds: 5)
        site.comesBack(last)
        #expect(site.paced.last?.properties.headers["x-martlet-paced"] == 10)
    }

    // MARK: Longest wait

    private func dead(_ site: PacedSite) -> [String?] {
        site.harness.published.filter { $0.exchange == "martlet.dead" }.map {
            $0.properties.headers["x-martlet-reason"]?.string
        }
    }

    @Test func rejectsAtMostOnceJobThatOutlastsItsWindow() {
        let site = PacedSite(2) { $0.limits.atMostOnceWindow = 3_600 }
        site.harness.deliver(PacedSite.body("short", recipients: 2_880, more: #""at_most_once":true,"#), number: 1)
        #expect(dead(site) == [])
        site.harness.deliver(PacedSite.body("long", recipients: 2_881, more: #""at_most_once":true,"#), number: 2)
        site.harness.deliver(PacedSite.body("never-mind", recipients: 2_881), number: 3)
        site.harness.cancellations(.changed([.init(job: "cancelled", isCancelled: true)]))
        site.harness.deliver(PacedSite.body("cancelled", recipients: 2_881, more: #""at_most_once":true,"#), number: 4)
        #expect(
            dead(site) == [
                """
                rate: is 2 a second, set by the job or its app: 2881 recipients take more than 1440 seconds
                """
            ])
    }

    @Test func deadLettersJobAfterSixDays() throws {
        let site = PacedSite(100)
        site.deliver(300, of: 10)
        let last = try #require(site.paced.last)
        let count = site.paced.count
        func comesBack(afterSeconds seconds: Int64) {
            var properties = last.properties
            properties.headers["x-martlet-paced"] = .int64(seconds)
            site.harness.deliver(String(decoding: last.body, as: UTF8.self), number: 1_000, properties: properties)
        }
        comesBack(afterSeconds: 6 * 86_400 - 60)
        #expect(dead(site) == [] && site.paced.count == count + 1)
        site.harness.recorder.withRecord { $0.workers = nil }
        comesBack(afterSeconds: 6 * 86_400 - 10)
        #expect(dead(site) == [], "the number of workers is unknown")
        site.harness.recorder.withRecord { $0.workers = 1 }
        comesBack(afterSeconds: 6 * 86_400 - 10)
        #expect(
            dead(site) == [
                "rate: is 100 a second, set by the job or its app: the job would wait longer than 518400 seconds"
            ])
        #expect(last.properties.headers["x-martlet-paced"] != nil)
        let kept = try #require(site.harness.published.last { $0.exchange == "martlet.dead" }).properties.headers
        #expect(kept["x-martlet-paced"] == nil && kept["x-martlet-slot"] == nil, "a replay must start its wait again")
    }

    @Test func keepsSlotAndWaitOfRequeuedJob() throws {
        let site = PacedSite(100)
        site.deliver(300, of: 10)
        let last = try #require(site.paced.last)
        site.harness.drain()
        site.comesBack(last)
        let back = try #require(site.harness.published.last)
        #expect(back.routingKey == "normal.returned" && back.slot == last.slot)
        #expect(back.properties.headers["x-martlet-paced"] == last.properties.headers["x-martlet-paced"])
    }

    // MARK: A rate-limited app

    @Test func isIdleWithoutDebtOrFutureSlots() throws {
        let limits = Snapshot(apps: [PacedSite.shop(10)], credentials: []).rateLimits
        let (load, rateLimits) = (AppLoad(app: "com.example.shop"), RateLimits(limits: limits, workers: 1))
        #expect(load.isIdle(rateLimits, now: now))
        let inbound = try #require(InboundJob(.sample(jobBody())))
        #expect(
            load.slot(for: WaitingJob(inbound: inbound, job: try decodedJob(jobBody()), appLoad: load), now: now) != nil
        )
        #expect(!load.isIdle(rateLimits, now: now))
        #expect(load.isIdle(rateLimits, now: Timestamp(seconds: now.seconds + 60)))
    }
}
