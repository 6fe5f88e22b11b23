import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Store
import Testing
import Routing

/// Tests of rate-limited jobs that wait in the broker: in a waiting queue, or in a delay queue until their time slot.
@Suite struct RateLimitedJobTests {
    @Test func assignsNoSlotBeforeScheduledTime() {
        let site = PacedSite(1)
        site.deliver(1, of: 20, from: 500)
        site.deliver(100, of: 10, more: #""send_at":1800003600,"#)
        #expect(site.paced.count == 100 && site.paced.compactMap(\.slot).isEmpty)
        #expect(site.harness.core.currentCounts().jobsWaiting == 0)
    }

    // MARK: Waiting queues

    @Test func keepsRateLimitedJobsOfWaitingQueue() {
        let site = PacedSite(1)
        site.deliver(4, of: 2, in: .waiting(.normal, 0))
        #expect(site.sent == 2 && site.harness.core.currentCounts().jobsWaiting == 3)
        site.deliver(4, of: 2, in: .waiting(.normal, 0), from: 10, app: "com.example.other")
        #expect(site.sent == 10, "another app may use the same queue")
        #expect(site.harness.waiting.isEmpty && site.paced.isEmpty)
        site.pass(seconds: 2)
        #expect(site.sent == 12)
    }

    /// Urgent jobs go first, although the other jobs have waited longer.
    @Test func sendsUrgentJobsOfLimitedAppFirst() {
        let site = PacedSite(10, includesUrgent: true)
        site.deliver(1, of: 10, from: 100)
        site.deliver(4, of: 5, in: .waiting(.bulk, 0), from: 1)
        site.deliver(2, of: 5, in: .waiting(.normal, 0), from: 10)
        site.deliver(2, of: 5, lane: .urgent, from: 20)
        site.pass(seconds: 3)
        #expect(
            site.harness.started.dropFirst().prefix(5)
                == [
                    "com.example.shop-20", "com.example.shop-21", "com.example.shop-10", "com.example.shop-11",
                    "com.example.shop-1",
                ])
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

    @Test func recordsWaitOfPartForOwnRate() throws {
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

    @Test func rejectsAtMostOnceJobThatOutlastsWindow() {
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
        func comesBack(afterSeconds seconds: Int64) {
            site.deliver(
                1, of: 10, in: .waiting(.normal, 0), from: UInt64(seconds),
                properties: AMQPProperties(headers: [
                    "x-martlet-waiting-since": .int64(now.milliseconds - seconds * 1_000)
                ]))
        }
        comesBack(afterSeconds: 6 * 86_400)
        #expect(dead(site) == [] && site.sent == 10)
        comesBack(afterSeconds: 6 * 86_400 + 1)
        #expect(
            dead(site) == [
                "rate: is 100 a second, set by the job or its app: the job has waited longer than 518400 seconds"
            ])
        let kept = try #require(site.harness.published.last { $0.exchange == "martlet.dead" })
        #expect(kept.waitingSince == nil, "a replay must start its wait again")
    }

    @Test func deadLettersPartWhoseSlotIsTooLate() throws {
        let site = PacedSite(nil)
        site.harness.deliver((1...30).map { PacedSite.part($0) })
        let last = try #require(site.paced.last)
        func comesBack(afterSeconds seconds: Int64) {
            var properties = last.properties
            properties.headers["x-martlet-paced"] = .int64(seconds)
            site.harness.deliver(String(decoding: last.body, as: UTF8.self), number: 1_000, properties: properties)
        }
        site.harness.recorder.withRecord { $0.workers = nil }
        comesBack(afterSeconds: 6 * 86_400)
        #expect(dead(site) == [], "the number of workers is unknown")
        site.harness.recorder.withRecord { $0.workers = 1 }
        comesBack(afterSeconds: 6 * 86_400)
        #expect(
            dead(site) == [
                "rate: is 10 a second, set by the job or its app: the job would wait longer than 518400 seconds"
            ])
        let kept = try #require(site.harness.published.last { $0.exchange == "martlet.dead" }).properties.headers
        #expect(kept["x-martlet-paced"] == nil && kept["x-martlet-slot"] == nil, "a replay must start its wait again")
    }

    @Test func keepsWaitOfRequeuedJob() throws {
        let site = PacedSite(100)
        site.deliver(300, of: 10)
        let last = try #require(site.harness.waiting.last)
        site.harness.drain()
        site.harness.pass(seconds: 5)
        site.comesBack(last)
        let back = try #require(site.harness.published.last)
        #expect(back.routingKey == "normal.returned" && back.waitingSince == last.waitingSince)
    }
}
