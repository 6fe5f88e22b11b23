import AMQPClient
import DeliveryPipeline
import PushModel
import Store
import Testing
import Routing

/// Tests of the list of broker users that may push to an app.
@Suite struct PublisherTests {
    static let worker = "martlet-worker"
    static let cases: [(user: String?, header: String?, isAllowed: Bool)] = [
        ("shop-backend", nil, true),
        ("somebody", nil, false),
        (nil, nil, false),
        // The header counts only if the broker validated the sender as a worker.
        (worker, "shop-backend", true),
        (worker, "somebody", false),
        (worker, nil, false),
        ("somebody", "shop-backend", false),
        (nil, "shop-backend", false),
    ]

    private func harness() -> PipelineHarness {
        var shop = App.shop
        shop.allowedPublishers = ["shop-backend"]
        return PipelineHarness(apps: [shop], brokerUser: Self.worker)
    }

    private func properties(user: String?, header: String?) -> AMQPProperties {
        AMQPProperties(headers: header.map { ["x-martlet-publisher": .string($0)] } ?? [:], userID: user)
    }

    @Test(arguments: cases.indices)
    func acceptsOnlyAllowedPublishers(index: Int) throws {
        let (user, header, isAllowed) = Self.cases[index]
        let harness = harness()
        harness.deliver(jobBody(), properties: properties(user: user, header: header))
        #expect(harness.output.jobs.count == (isAllowed ? 1 : 0), "\(user ?? "-") \(header ?? "-")")
        let dead = harness.published.filter { $0.exchange == "martlet.dead" }
        #expect(dead.count == (isAllowed ? 0 : 1))
        #expect(dead.allSatisfy { $0.properties.headers["x-martlet-reason"]?.string?.hasPrefix("app: ") == true })
    }

    /// When a worker republishes a job, it must not vouch for a publisher name that the job's publisher set.
    @Test(arguments: ["suspects", "drain", "dead"])
    func doesNotForwardUnverifiedPublisher(way: String) throws {
        var properties = properties(user: nil, header: "shop-backend")
        if way == "suspects" { properties.headers["x-delivery-count"] = 5 }
        let first = harness()
        if way == "drain" { first.drain() }
        first.deliver(way == "dead" ? "{" : jobBody(), properties: properties, redelivered: way == "suspects")
        let message = try #require(first.published.first)
        #expect(message.properties.userID == Self.worker)
        let second = harness()
        second.deliver(jobBody(), properties: message.properties)
        #expect(second.output.jobs.isEmpty, "\(message.properties.headers)")
        #expect(
            second.published.first?.properties.headers["x-martlet-reason"]?.string?.hasSuffix("has no user_id property")
                == true)
    }

    @Test func keepsPublisherOfRetriedJob() throws {
        let harness = harness()
        harness.deliver(jobBody(), properties: properties(user: "shop-backend", header: nil))
        harness.report(try harness.job(0), [.retry, .retry])
        harness.flush()
        let message = try #require(harness.published.first { $0.exchange.hasPrefix("martlet.delay.") })
        #expect(message.properties.userID == Self.worker, "the broker accepts only the worker's own user")
        #expect(message.properties.headers["x-martlet-publisher"] == "shop-backend")
        harness.deliver([
            .sample(String(decoding: message.body, as: UTF8.self), number: 2, properties: message.properties)
        ])
        #expect(harness.output.jobs.count == 2)
    }
}
