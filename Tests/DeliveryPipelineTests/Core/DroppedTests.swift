import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Testing

/// Jobs that the broker dropped from their queue or could not route to a queue.
@Suite struct DroppedTests {
    private static func death(_ reason: String, _ queue: String) -> AMQPFieldValue {
        .table(["reason": .string(reason), "queue": .string(queue), "count": 1])
    }

    private func dropped(
        _ deaths: [AMQPFieldValue], body: String = jobBody(), exchange: String = "martlet.dropped",
        key: String = "bulk", messageID: String? = nil, deliveries: Int = 0
    ) -> AMQPDelivery {
        var headers: AMQPFieldTable = deaths.isEmpty ? [:] : ["x-death": .array(deaths)]
        if deliveries > 0 { headers["x-delivery-count"] = .int64(Int64(deliveries)) }
        return AMQPDelivery(
            tag: AMQPDeliveryTag(epoch: 1, queueIndex: UInt16(JobQueue.dropped.index), number: 1),
            isRedelivered: deliveries > 0, exchange: exchange, routingKey: key,
            properties: AMQPProperties(headers: headers, messageID: messageID),
            body: Array(body.utf8))
    }

    private func reported(_ harness: PipelineHarness) throws -> (job: String?, app: String?, problem: String) {
        let event = try JSON.object(try harness.event(0).body)
        let error = try #require(try JSON.objects(event["errors"]).first)
        let problem = "\(error["field"] ?? "-"): \(error["problem"] ?? "-")"
        return (event["job"] as? String, event["app"] as? String, problem)
    }

    @Test(arguments: [
        ("delivery_limit", "was delivered too often without being settled (delivery_limit of q)", true),
        ("expired", "expired in q before a worker received it", false),
        ("maxlen", "was dropped because q was full (maxlen)", false),
        ("unheard_of", "was dropped from q (unheard_of)", false),
    ])
    func reportsAndDeadLettersDroppedJob(cause: String, problem: String, wasDelivered: Bool) throws {
        let harness = PipelineHarness()
        // Earlier deaths, such as the expiry in a delay queue, are not the cause.
        harness.deliver([dropped([Self.death(cause, "q"), Self.death("expired", "martlet.delay.5")])])
        #expect(harness.moved == ["martlet.dead bulk"])
        let (job, app, said) = try reported(harness)
        #expect(job == "order-1" && app == "com.example.shop" && said == "message: \(problem)")
        let dead = try #require(harness.published.first { $0.exchange == "martlet.dead" })
        #expect(dead.body == Array(jobBody().utf8))
        #expect(dead.properties.headers["x-martlet-reason"]?.string == "message: \(problem)")
        #expect(dead.properties.headers["x-martlet-redelivered"] == (wasDelivered ? true : nil))
        #expect(dead.properties.headers["x-martlet-delivered-before"] == (wasDelivered ? true : nil))
        #expect(harness.started == [] && harness.acknowledged == [])
        harness.confirm(dead, try harness.event(0))
        #expect(harness.acknowledged == [1])
    }

    /// The job was published while the first worker declared the topology: the exchange existed, but the lane was not
    /// bound yet.
    @Test(arguments: [("bulk", "bulk"), ("", "normal")])
    func movesJobThatArrivedBeforeLaneWasBound(key: String, lane: String) throws {
        let harness = PipelineHarness()
        harness.deliver([dropped([], exchange: "martlet.jobs", key: key)])
        let moved = try #require(harness.published.first)
        #expect(harness.published.count == 1 && moved.exchange == "martlet.moved")
        #expect(moved.routingKey == PipelineNames.returningKey(to: try #require(Lane(rawValue: lane))))
        harness.confirm(moved)
        #expect(harness.acknowledged == [1])
    }

    /// A worker has rejected this job before, because the broker never accepts a message of the job, such as its dead
    /// letter. The rejection event is already published.
    @Test func rejectsPreviouslyRejectedJob() throws {
        let harness = PipelineHarness()
        harness.deliver([dropped([Self.death("rejected", "q")])])
        #expect(harness.published.isEmpty && harness.acknowledged == [])
        #expect(harness.rejected.map(\.number) == [1] && harness.released.map(\.number) == [1])
    }

    @Test func rejectsJobThatIsTooLargeToDeadLetter() throws {
        let harness = PipelineHarness()
        harness.deliver([dropped([Self.death("expired", "q")])])
        let dead = try #require(harness.published.first { $0.exchange == "martlet.dead" })
        harness.publisher(.returned(AMQPReturn(id: dead.id, code: 406, text: "message size")))
        #expect(harness.events.count == 1, "the job must be reported once")
        harness.confirm(try harness.event(0))
        #expect(harness.rejected.map(\.number) == [1] && harness.acknowledged == [])
    }

    /// A routing key that only workers may use selects no lane if a publisher uses it.
    @Test(arguments: [
        "nrmal", "urgnt", "a.b.#", String(repeating: "n", count: 255), "urgent.returned", "bulk.waiting.7", "suspects",
    ])
    func deadLettersJobOfUnknownLaneUnderSameRoutingKey(key: String) throws {
        let harness = PipelineHarness()
        // The publisher forged both the header and the record that the job was dead-lettered.
        var delivery = dropped([Self.death("expired", "q")], exchange: "martlet.jobs", key: key)
        var properties = delivery.properties
        properties.headers["x-martlet-lane"] = "bulk"
        delivery = AMQPDelivery(
            tag: delivery.tag, isRedelivered: false, exchange: delivery.exchange, routingKey: key,
            properties: properties, body: delivery.body)
        harness.deliver([delivery])
        #expect(try reported(harness).problem == "message: no lane is called \"\(key.prefix(100))\"")
        #expect(harness.moved == ["martlet.dead \(key)"])
    }

    @Test(arguments: [
        ("urgent.waiting.7", Lane.urgent), ("bulk.returned", .bulk), ("", .normal), ("suspects", .normal),
        ("normal", .normal),
    ])
    func derivesLaneFromRoutingKey(key: String, lane: Lane) {
        let harness = PipelineHarness()
        harness.deliver([dropped([Self.death("expired", "q")], key: key)])
        #expect(harness.moved == ["martlet.dead \(lane.rawValue)"])
    }

    /// The broker dead-letters a dropped job that is too large for a worker to publish.
    @Test(
        arguments: [("martlet.jobs", nil), ("martlet.moved", .urgent), ("martlet.dropped", .urgent)]
            as [(String, Lane?)])
    func derivesLaneOfDeadJobFromRoutingKeyOfWorkerOnly(exchange: String, lane: Lane?) {
        let death: AMQPFieldTable = [
            "reason": "rejected", "queue": "martlet.dropped", "exchange": .string(exchange),
            "routing-keys": .array(["urgent.returned"]),
        ]
        #expect(Lane(of: dropped([.table(death)], exchange: "martlet.dead", key: "urgent.returned")) == lane)
        #expect(Lane(of: dropped([.table(death)], exchange: "martlet.dead", key: "urgent")) == .urgent)
    }

    @Test func doesNotDecodeSuspectBodyAgain() throws {
        let harness = PipelineHarness()
        harness.deliver([dropped([Self.death("delivery_limit", "q")], messageID: "m-1", deliveries: 1)])
        let (job, app, _) = try reported(harness)
        #expect(job == "m-1" && app == nil)
        let fresh = PipelineHarness()
        fresh.deliver([dropped([Self.death("delivery_limit", "q")], body: "{", messageID: "m-1")])
        #expect(try reported(fresh).job == "m-1")
    }

    /// RabbitMQ 4 repeats the delivery count of the queue that it dropped the job from: 4 for a suspect, 21 for a lane.
    @Test(arguments: [4, 21]) func ignoresDeliveryCountOfPreviousQueue(deliveries: Int) throws {
        let harness = PipelineHarness()
        harness.deliver([dropped([Self.death("delivery_limit", "q")], messageID: "m-1", deliveries: deliveries)])
        #expect(try reported(harness).app == "com.example.shop")
    }

    @Test func deadLettersDroppedJobWhileDraining() {
        let harness = PipelineHarness()
        harness.drain()
        harness.deliver([dropped([Self.death("expired", "q")])])
        #expect(harness.moved == ["martlet.dead bulk"])
    }
}
