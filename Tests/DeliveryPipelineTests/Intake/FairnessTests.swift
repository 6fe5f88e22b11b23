import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Store
import Testing
import Routing

@Suite struct FairnessTests {
    private static let mail = App(bundleID: "com.example.mail", accounts: ["apns": AppAccount("TEAM000001")])

    @Test func reservesCapacityForOtherAppsAndUrgentJobs() throws {
        let harness = PipelineHarness(apps: [.shop, Self.mail], maximumInFlight: 100) {
            ($0.limits.appShare, $0.limits.urgentShare) = (50, 20)
            // The large prefetch prevents moves to the waiting queue.
            $0.prefetch = [.urgent: 5_000, .normal: 5_000, .bulk: 5_000]
        }
        harness.deliver((0..<60).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started.count == 20, "half of 80, with 2 recipients each")
        harness.deliver(jobBody("mail-1", app: "com.example.mail"), number: 60)
        #expect(harness.started.last == "mail-1")
        harness.deliver((61..<100).map { .sample(jobBody("mail-\($0)", app: "com.example.mail"), number: $0) })
        harness.deliver((100..<130).map { .sample(jobBody("urgent-\($0)"), number: $0, lane: .urgent) })
        #expect(harness.started.contains { $0.hasPrefix("urgent") })
        #expect(harness.core.currentCounts().obligationsOpen <= 100)
    }

    @Test func startsNextJobWhenCapacityIsFreed() throws {
        let harness = PipelineHarness(apps: [.shop, Self.mail], maximumInFlight: 8) { $0.limits.appShare = 50 }
        harness.deliver((0..<4).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started == ["shop-0", "shop-1"])
        harness.report(try harness.job(0), [.sent, .sent])
        #expect(harness.started.count == 2, "the event is unconfirmed")
        try harness.confirmEvent(0)
        #expect(harness.started == ["shop-0", "shop-1", "shop-2"])
    }

    @Test func movesExcessJobsToWaitingQueueForLaterStart() throws {
        let harness = PipelineHarness(apps: [.shop, Self.mail], maximumInFlight: 8) {
            $0.limits.appShare = 50
            $0.prefetch = [.urgent: 10, .normal: 10, .bulk: 10]
        }
        harness.deliver((0..<10).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started == ["shop-0", "shop-1"])
        #expect(harness.waiting.count == 7 && harness.moved.count == 7, "only one job may wait")
        #expect(harness.core.currentCounts().jobsMoved == 7)
        for publication in harness.waiting { harness.confirm(publication) }
        #expect(harness.acknowledged == [9, 8, 7, 6, 5, 4, 3])
        // Jobs from the waiting queue are not moved again.
        harness.deliver((20..<30).map { .sample(jobBody("again-\($0)"), number: $0, from: .waiting(.normal, 0)) })
        #expect(harness.moved.count == 7)
        harness.deliver(jobBody("mail-1", app: "com.example.mail"), number: 40)
        #expect(harness.started.last == "mail-1")
    }

    @Test func limitsPrefetchShareOfAppWithSlowJobs() throws {
        let harness = PipelineHarness(apps: [.shop, Self.mail]) {
            $0.limits.appShare = 80
            $0.prefetch = [.urgent: 10, .normal: 100, .bulk: 10]
        }
        harness.deliver((0..<100).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started.count == 50, "half of the prefetch may be open")
        #expect(harness.waiting.count == 38, "an eighth of the prefetch may wait")
        harness.deliver(jobBody("mail-1", app: "com.example.mail"), number: 200)
        #expect(harness.started.last == "mail-1")
    }

    @Test func allowsMoreOpenJobsForFastApp() {
        let harness = PipelineHarness(apps: [.shop, Self.mail]) {
            ($0.limits.appShare, $0.prefetch) = (80, [.urgent: 10, .normal: 100, .bulk: 10])
        }
        // The app completes 200 jobs in one second.
        for first in stride(from: 1, to: 201, by: 40) {
            harness.deliver((first..<first + 40).map { .sample(jobBody("shop-\($0)"), number: UInt64($0)) })
            for job in harness.output.jobs.suffix(40) { harness.report(job, [.sent, .sent]) }
            for event in harness.events.suffix(40) { harness.confirm(event) }
        }
        #expect(harness.acknowledged.count == 200)
        harness.deliver((201...300).map { .sample(jobBody("shop-\($0)"), number: $0) })
        #expect(harness.started.count == 200 + 80, "four times the free places may be used")
        #expect(harness.waiting.count == 8, "an eighth of the prefetch may wait")
        harness.deliver(jobBody("mail-2", app: "com.example.mail"), number: 301)
        #expect(harness.started.last == "mail-2")
        harness.pass(seconds: 2)
        harness.deliver(jobBody("mail-3", app: "com.example.mail"), number: 302)
        #expect(harness.waiting.count == 8)
        for publication in harness.waiting { harness.confirm(publication) }
        harness.deliver(jobBody("shop-303"), number: 303)
        #expect(harness.started.last == "mail-3" && harness.waiting.count == 9)
    }

    @Test func startsJobsDespiteOrphansOfLostConnections() {
        let apps = (0..<10).map { App(bundleID: "com.example.app-\($0)", accounts: ["apns": AppAccount("TEAM000001")]) }
        let harness = PipelineHarness(apps: apps) {
            ($0.limits.appShare, $0.prefetch) = (80, [.urgent: 10, .normal: 10, .bulk: 10])
        }
        for (number, app) in apps.enumerated() {
            harness.deliver(
                (0..<10).map {
                    .sample(jobBody("\(number)-\($0)", app: app.bundleID), number: UInt64(10 * number) + $0)
                })
            #expect(harness.started.last?.hasPrefix("\(number)-") == true)
            harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        }
    }

    @Test func movesOftenDeliveredJobToSuspects() throws {
        let harness = PipelineHarness()
        let properties = AMQPProperties(headers: ["x-delivery-count": 5])
        harness.deliver("{broken", number: 1, properties: properties, redelivered: true)
        #expect(harness.moved == ["martlet.moved suspects"], "the body must not be decoded first")
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

    /// RabbitMQ overwrites the header only on a redelivery, so on a first delivery it may be forged.
    @Test func ignoresDeliveryCountOfFirstDelivery() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody("forged"), number: 1, properties: AMQPProperties(headers: ["x-delivery-count": 9]))
        #expect(harness.started == ["forged"])
        // RabbitMQ 4.3 counts deliveries and failed deliveries separately.
        let properties = AMQPProperties(headers: ["x-delivery-count": 1, "x-acquired-count": 5])
        harness.deliver(jobBody("again"), number: 2, properties: properties, redelivered: true)
        #expect(harness.moved == ["martlet.moved suspects"])
    }
}
