import AMQPClient
import DeliveryPipeline
import PushModel
import Store
import Testing

/// What is beyond an app's rate, or a job's own, waits: a little here, the rest in the broker.
@Suite struct PacingTests {
    private static let other = App(bundleID: "com.example.other", accounts: ["apns": AppAccount("TEAM000001")])

    private func shop(_ rate: Int?, includesUrgent: Bool = false) -> App {
        var app = App.shop
        app.pace = rate.map { AppPace(rate: $0, includesUrgent: includesUrgent) }
        return app
    }

    private func harness(
        _ rate: Int?, includesUrgent: Bool = false, workers: Int? = 1,
        _ configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) -> PipelineHarness {
        let harness = PipelineHarness(apps: [shop(rate, includesUrgent: includesUrgent), Self.other], configure)
        harness.recorder.withRecord { $0.workers = workers }
        return harness
    }

    private func body(_ id: String, recipients: Int, app: String = "com.example.shop", more: String = "") -> String {
        let tokens = (0..<recipients).map { "\"\(String($0 + 0x1_0000, radix: 16))\"" }.joined(separator: ",")
        return #"{"id":"\#(id)","app":"\#(app)",\#(more)"payload":{"aps":{"alert":"Hi"}},"recipients":[\#(tokens)]}"#
    }

    private func deliver(
        _ count: Int, of recipients: Int, to harness: PipelineHarness, lane: Lane = .normal, from first: UInt64 = 1,
        app: String = "com.example.shop", more: String = "", properties: AMQPProperties = AMQPProperties()
    ) {
        harness.deliver(
            (first..<first + UInt64(count)).map {
                .sample(
                    body("\(app)-\($0)", recipients: recipients, app: app, more: more), number: $0, lane: lane,
                    properties: properties)
            })
    }

    private func sent(_ harness: PipelineHarness) -> Int {
        harness.output.jobs.reduce(0) { $0 + $1.job.recipients.count }
    }

    private func paced(_ harness: PipelineHarness) -> [AMQPPublication] {
        harness.published.filter { $0.exchange.contains(".delay.") }
    }

    /// Comes back from where it has waited.
    private func comesBack(_ message: AMQPPublication, to harness: PipelineHarness, number: UInt64 = 1_000) {
        harness.deliver(String(decoding: message.body, as: UTF8.self), number: number, properties: message.properties)
    }

    @Test func anAppIsSentToAtItsRate() {
        let harness = harness(100)
        deliver(100, of: 10, to: harness)
        for _ in 0..<100 { harness.passPace(milliseconds: 20) }
        #expect((200...210).contains(sent(harness)), "two seconds")
        #expect(paced(harness).count == 60, "four seconds' work and what was sent at once stay here")
        #expect(harness.overflowed.isEmpty)
    }

    @Test func aShareIsWhatTheOtherWorkersLeave() {
        let harness = harness(100, workers: 4)
        deliver(10, of: 1, to: harness)
        for _ in 0..<10 { harness.passPace(milliseconds: 20) }
        #expect(sent(harness) == 6, "25 a second, and the first at once")
        harness.recorder.withRecord { $0.workers = 1 }
        for _ in 0..<2 { harness.passPace(milliseconds: 20) }
        #expect(sent(harness) == 10)
    }

    @Test func othersGoOnBesideIt() {
        let harness = harness(1)
        deliver(200, of: 1, to: harness, lane: .bulk)
        deliver(50, of: 10, to: harness, lane: .bulk, from: 1_000, app: "com.example.other")
        #expect(sent(harness) == 501)
        #expect(harness.core.currentCounts().jobsWaiting <= 4)
        #expect(paced(harness).allSatisfy { $0.routingKey == "bulk" })
    }

    @Test(arguments: [false, true])
    func theUrgentLaneWaitsOnlyWhereThatWasSaid(includesUrgent: Bool) {
        let harness = harness(1, includesUrgent: includesUrgent)
        deliver(3, of: 1, to: harness, lane: .urgent)
        #expect(sent(harness) == (includesUrgent ? 1 : 3))
        deliver(1, of: 1, to: harness, lane: .normal, from: 10)
        #expect(sent(harness) == (includesUrgent ? 1 : 4), "what is exempt does not count either")
    }

    @Test func slotsAreSpreadOverTimeAndKept() throws {
        let harness = harness(100)
        deliver(300, of: 10, to: harness)
        let messages = paced(harness)
        #expect(messages.count == 260)
        #expect(Set(messages.map(\.exchange)) == ["martlet.delay.1", "martlet.delay.5"])
        let last = try #require(messages.last)
        harness.pass(seconds: 5)
        comesBack(last, to: harness)
        let again = try #require(paced(harness).last)
        #expect(paced(harness).count == 261)
        #expect(again.properties.headers["x-martlet-slot"] == last.properties.headers["x-martlet-slot"])
        #expect(again.properties.headers["x-martlet-slot-rate"] == 100)
        #expect(again.body == last.body)
    }

    @Test func withAnotherRateASlotIsWorthNothing() throws {
        let harness = harness(100)
        deliver(300, of: 10, to: harness)
        let last = try #require(paced(harness).last)
        harness.replaceSnapshot(apps: [shop(nil)])
        comesBack(last, to: harness)
        #expect(harness.started.count == 41)
        #expect(paced(harness).count == 260)
    }

    @Test func waitingIsNoAttemptAndTakesNothingOfTheTimeForRetries() throws {
        let harness = harness(1)
        let first = now.milliseconds - 60_000
        deliver(
            2, of: 10, to: harness,
            properties: AMQPProperties(headers: [
                "x-martlet-attempt": 3, "x-martlet-first-attempt-at": .int64(first), "x-martlet-part": "part-1",
            ]))
        #expect(sent(harness) == 10)
        let message = try #require(paced(harness).first)
        #expect(message.exchange == "martlet.delay.5")
        #expect(message.properties.headers["x-martlet-attempt"] == 3)
        #expect(message.properties.headers["x-martlet-first-attempt-at"] == .int64(first + 5_000))
        #expect(message.properties.headers["x-martlet-part"] == "part-1")
    }

    @Test func whatIsCancelledOrTooLateDoesNotWait() throws {
        let harness = harness(1)
        deliver(1, of: 10, to: harness)
        harness.cancellations(.changed([.init(job: "com.example.shop-5", isCancelled: true)]))
        deliver(1, of: 10, to: harness, from: 5)
        harness.flush()
        #expect(try harness.outcomes().map { $0["reason"] } == Array(repeating: "Cancelled", count: 10))
        deliver(1, of: 10, to: harness, from: 6, more: #""expires_at":1799999999,"#)
        #expect(harness.started == ["com.example.shop-1", "com.example.shop-6"], "the output says that it is too late")
        #expect(paced(harness).isEmpty)
    }

    @Test func aDeadlineIsNotSleptThrough() throws {
        let harness = harness(1)
        deliver(2, of: 20, to: harness, more: #""expires_at":1800000010,"#)
        let message = try #require(paced(harness).first)
        #expect(message.properties.headers["x-martlet-slot"] == .int64(1_800_000_010_001))
    }

    @Test func aLargeJobIsSplitForItsRateAndAtOnce() throws {
        let harness = harness(100)
        harness.deliver(body("first", recipients: 20))
        #expect(sent(harness) == 20)
        harness.deliver(body("big", recipients: 105), number: 2)
        let named = try #require(harness.published.last)
        #expect(named.properties.headers["x-martlet-chunk-size"] == 25)
        harness.recorder.withRecord { $0.workers = 10 }
        comesBack(named, to: harness)
        let chunks = harness.published.filter { $0.properties.headers["x-martlet-chunk"] == true }
        #expect(chunks.count == 5, "as it was named, whatever the rate is now")
        harness.recorder.withRecord { $0.workers = 1 }
        harness.pass(seconds: 1)
        comesBack(chunks[0], to: harness, number: 1_001)
        try harness.grantClaims()
        #expect(sent(harness) == 45)
    }

    /// Chunks of these are known by their places, so their size stays; a debt is left.
    @Test func aJobThatIsSentAtMostOnceHasChunksAsEver() throws {
        let harness = harness(100)
        harness.deliver(body("once", recipients: 501, more: #""at_most_once":true,"#))
        try harness.grantClaims()
        let chunks = harness.published.filter { $0.properties.headers["x-martlet-chunk"] == true }
        #expect(chunks.count == 2)
        comesBack(chunks[0], to: harness)
        try harness.grantClaims()
        #expect(sent(harness) == 500)
        deliver(1, of: 1, to: harness, from: 7)
        #expect(paced(harness).count == 1, "that takes five seconds, which it does not wait here")
    }

    @Test func anotherRateBeginsAnew() {
        let harness = harness(10)
        deliver(1, of: 20, to: harness)
        harness.replaceSnapshot(apps: [shop(1_000)])
        deliver(1, of: 10, to: harness, from: 2)
        #expect(sent(harness) == 30)
    }

    // MARK: A job's own rate

    private func part(_ number: UInt64, rate: Int = 10, recipients: Int = 10, job: String = "slow") -> AMQPDelivery {
        .sample(
            body(job, recipients: recipients, more: #""rate":\#(rate),"#), number: number,
            properties: AMQPProperties(headers: [
                "x-martlet-part": .string("name#\(number)"), "x-martlet-attempt": 2,
            ]))
    }

    @Test func aJobsOwnRateHoldsItAndNoOther() {
        let harness = harness(nil)
        harness.deliver((1...5).map { part($0) })
        harness.deliver((11...15).map { part($0, job: "fast", ) })
        deliver(5, of: 10, to: harness, from: 100)
        #expect(sent(harness) == 10 + 10 + 50)
        #expect(paced(harness).count == 8)
        #expect(harness.core.currentCounts().jobsWaiting == 0)
        #expect(paced(harness).allSatisfy { $0.properties.headers["x-martlet-slot-rate"] == 10 })
    }

    @Test func aPartComesBackAtItsSlot() throws {
        let harness = harness(nil)
        harness.deliver((1...5).map { part($0) })
        #expect(sent(harness) == 10)
        let messages = paced(harness)
        try #require(messages.count == 4)
        harness.pass(seconds: 1)
        comesBack(messages[0], to: harness, number: 21)
        #expect(sent(harness) == 20)
        comesBack(messages[3], to: harness, number: 22)
        #expect(sent(harness) == 20 && paced(harness).count == 5, "early, it waits for the rest")
    }

    @Test func theLowerOfTwoRatesCounts() {
        let harness = harness(20)
        harness.deliver((1...5).map { part($0, rate: 1_000) })
        #expect(sent(harness) == 10 && paced(harness).isEmpty, "four seconds' work waits for the app's")
    }

    @Test func aLargeJobIsSplitForItsOwnRateAndItsChunksCarryIt() throws {
        let harness = harness(nil)
        harness.deliver(body("big", recipients: 105, more: #""rate":200,"#))
        let named = try #require(harness.published.last)
        #expect(named.properties.headers["x-martlet-chunk-size"] == 50)
        comesBack(named, to: harness)
        let chunk = try #require(harness.published.last)
        #expect(try JSON.object(chunk.body)["rate"] as? Int == 200)
    }
}
