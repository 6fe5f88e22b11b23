import AMQPClient
import CredentialStore
import DeliveryPipeline
import PushModel
import Testing

@Suite struct FairnessTests {
    private static let mail = App(bundleID: "com.example.mail", team: "TEAM000001")

    @Test func oneAppLeavesRoomForOthersAndUrgentAlwaysHasSome() throws {
        let harness = PipelineHarness(apps: [.shop, Self.mail], maximumInFlight: 100) {
            ($0.appShare, $0.urgentShare) = (50, 20)
            // So that nothing is moved.
            $0.prefetch = [.urgent: 5_000, .normal: 5_000, .bulk: 5_000]
        }
        harness.deliver((0..<60).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started.count == 20, "half of 80, two recipients each")
        harness.deliver(jobBody("mail-1", app: "com.example.mail"), number: 60)
        #expect(harness.started.last == "mail-1")
        harness.deliver((61..<100).map { .sample(jobBody("mail-\($0)", app: "com.example.mail"), number: $0) })
        harness.deliver((100..<130).map { .sample(jobBody("urgent-\($0)"), number: $0, lane: .urgent) })
        #expect(harness.started.contains { $0.hasPrefix("urgent") })
        #expect(harness.core.currentCounts().obligationsOpen <= 100)
    }

    @Test func roomThatIsSettledIsGivenToTheNext() throws {
        let harness = PipelineHarness(apps: [.shop, Self.mail], maximumInFlight: 8) { $0.appShare = 50 }
        harness.deliver((0..<4).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started == ["shop-0", "shop-1"])
        harness.report(try harness.job(0), [.sent, .sent])
        #expect(harness.started.count == 2, "not settled yet")
        try harness.confirmEvent(0)
        #expect(harness.started == ["shop-0", "shop-1", "shop-2"])
    }

    @Test func aFloodMovesOutOfTheWayAndIsTakenUpAgain() throws {
        let harness = PipelineHarness(apps: [.shop, Self.mail], maximumInFlight: 8) {
            $0.appShare = 50
            $0.prefetch = [.urgent: 10, .normal: 10, .bulk: 10]
        }
        harness.deliver((0..<10).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started == ["shop-0", "shop-1"])
        #expect(harness.moved == Array(repeating: "martlet.moved normal.overflow", count: 3), "the newest ones")
        #expect(harness.core.currentCounts().jobsOverflowed == 3)
        for publication in harness.published { harness.confirm(publication) }
        #expect(harness.acknowledged == [9, 8, 7])
        // They come back from there, and move no more.
        harness.deliver((20..<30).map { .sample(jobBody("again-\($0)"), number: $0, from: .overflow(.normal)) })
        #expect(harness.moved.count == 3)
        harness.deliver(jobBody("mail-1", app: "com.example.mail"), number: 40)
        #expect(harness.started.last == "mail-1")
    }

    @Test func anAppWhoseJobsStayOpenLeavesThePrefetchToOthers() throws {
        let harness = PipelineHarness(apps: [.shop, Self.mail]) {
            $0.appShare = 80
            $0.prefetch = [.urgent: 10, .normal: 100, .bulk: 10]
        }
        harness.deliver((0..<100).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started.count == 100 && harness.moved.isEmpty, "alone it may have everything")
        for job in harness.output.jobs { harness.report(job, [.sent, .sent]) }
        for event in harness.events { harness.confirm(event) }
        #expect(harness.acknowledged.count == 100)
        harness.pass(seconds: 2)
        harness.deliver(jobBody("mail-1", app: "com.example.mail"), number: 100)
        harness.deliver((101..<200).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started.dropFirst(101).count == 50, "as many as are free")
        #expect(harness.moved == Array(repeating: "martlet.moved normal.overflow", count: 47), "two may wait")
        harness.deliver(jobBody("mail-2", app: "com.example.mail"), number: 200)
        #expect(harness.started.last == "mail-2")
    }

    @Test func anAppWhoseJobsAreDoneSoonHoldsMoreAndIsNotMoved() {
        let harness = PipelineHarness(apps: [.shop, Self.mail]) {
            ($0.appShare, $0.prefetch) = (80, [.urgent: 10, .normal: 100, .bulk: 10])
        }
        harness.deliver(jobBody("mail-1", app: "com.example.mail"), number: 0)
        // 200 in a second.
        for first in stride(from: 1, to: 201, by: 40) {
            harness.deliver((first..<first + 40).map { .sample(jobBody("shop-\($0)"), number: UInt64($0)) })
            for job in harness.output.jobs.suffix(40) { harness.report(job, [.sent, .sent]) }
            for event in harness.events.suffix(40) { harness.confirm(event) }
        }
        #expect(harness.acknowledged.count == 200)
        harness.deliver((201...300).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started.count == 1 + 200 + 80, "four times what is left")
        #expect(harness.moved.isEmpty, "what waits is done within half a second")
        harness.deliver(jobBody("mail-2", app: "com.example.mail"), number: 301)
        #expect(harness.started.last == "mail-2")
        harness.pass(seconds: 2)
        harness.deliver(jobBody("mail-3", app: "com.example.mail"), number: 302)
        #expect(harness.moved.count == 18, "nothing more is done, so two may wait")
        for publication in harness.published where publication.exchange.isEmpty { harness.confirm(publication) }
        harness.deliver(jobBody("shop-303"), number: 303)
        #expect(harness.started.last == "mail-3" && harness.moved.count == 19)
    }

    @Test func anAppIsAloneAgainSomeTimeAfterTheOthers() {
        let (shop, mail) = (AppUse(app: "shop"), AppUse(app: "mail"))
        var use = QueueUse()
        func isShared(_ seconds: Int64) -> Bool { use.isShared(now: Timestamp(seconds: seconds)) }
        use.seen(shop, now: Timestamp(seconds: 1_000))
        use.seen(shop, now: Timestamp(seconds: 1_001))
        #expect(!isShared(1_001))
        use.seen(mail, now: Timestamp(seconds: 1_002))
        use.seen(shop, now: Timestamp(seconds: 1_003))
        use.seen(shop, now: Timestamp(seconds: 1_500))
        #expect(isShared(1_500) && isShared(1_602) && !isShared(1_603))
        use.seen(mail, now: Timestamp(seconds: 2_000))
        #expect(isShared(2_000))
    }

    @Test func whatALostConnectionLeftOpenKeepsNobodyFromStarting() {
        let harness = PipelineHarness(apps: [.shop, Self.mail]) {
            ($0.appShare, $0.prefetch) = (80, [.urgent: 10, .normal: 10, .bulk: 10])
        }
        harness.deliver((0..<10).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started.count == 10)
        harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        harness.deliver(jobBody("mail-1", app: "com.example.mail"), number: 10)
        #expect(harness.started.last == "mail-1")
    }

    @Test func aJobThatWasDeliveredOftenIsSetApart() throws {
        let harness = PipelineHarness()
        let properties = AMQPProperties(headers: ["x-delivery-count": 5])
        harness.deliver("{broken", number: 1, properties: properties, redelivered: true)
        #expect(harness.moved == ["martlet.moved suspects"], "before anybody looks into it")
        harness.deliver(
            [
                .sample(
                    jobBody(), number: 2, from: .suspects, properties: AMQPProperties(headers: ["x-delivery-count": 7]),
                    redelivered: true)
            ])
        #expect(harness.started == ["order-1"])
        harness.deliver(
            jobBody("order-2"), number: 3, properties: AMQPProperties(headers: ["x-delivery-count": 4]),
            redelivered: true)
        #expect(harness.started == ["order-1", "order-2"])
    }

    /// RabbitMQ writes the header on what it delivers again, over whatever stood there.
    @Test func aCountIsTheBrokersOnlyOnWhatIsDeliveredAgain() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody("forged"), number: 1, properties: AMQPProperties(headers: ["x-delivery-count": 9]))
        #expect(harness.started == ["forged"])
        // RabbitMQ 4.3 counts apart how often it was handed out, and how often that failed.
        let properties = AMQPProperties(headers: ["x-delivery-count": 1, "x-acquired-count": 5])
        harness.deliver(jobBody("again"), number: 2, properties: properties, redelivered: true)
        #expect(harness.moved == ["martlet.moved suspects"])
    }
}
