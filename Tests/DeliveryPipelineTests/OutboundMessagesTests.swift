import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Testing

@Suite struct OutboundMessagesTests {
    private var messages = OutboundMessages(names: PipelineNames(prefix: "push"), worker: "push-7")

    private func event(
        _ kind: OutcomeKind = .sent, app: String = "com.example.shop", traceparent: String? = nil
    ) throws -> EventBatch {
        let job = try routedJob(jobBody(app: app), traceparent: traceparent)
        var batcher = EventBatcher(worker: "push-7", maximumOutcomes: 1)
        let full = batcher.add(job.outcome(0, .sent), as: kind, reason: nil, detail: nil)
        return try #require(full)
    }

    private func inbound(
        _ properties: AMQPProperties = AMQPProperties(), from queue: JobQueue = .lane(.bulk), redelivered: Bool = false
    ) throws -> InboundJob {
        try #require(
            InboundJob(.sample("{broken", number: 1, from: queue, properties: properties, redelivered: redelivered)))
    }

    private func part(
        _ job: Job, body: [UInt8] = [], lane: Lane = .urgent, attempt: Int = 1, redelivered: Bool = false,
        isChunk: Bool = false, trace: TraceHeaders? = nil
    ) -> OutboundMessages.Part {
        .init(
            job: job, body: body, lane: lane, attempt: attempt, redelivered: redelivered, name: "order-1#7",
            isChunk: isChunk, trace: trace)
    }

    // MARK: Events

    @Test(arguments: OutcomeKind.allCases)
    mutating func routesEventByOutputKindAndApp(kind: OutcomeKind) throws {
        let message = messages.event(try event(kind), now: now)
        #expect(message.exchange == "push.results")
        #expect(message.routingKey == "apns.\(kind.rawValue).com.example.shop")
        #expect(!message.isMandatory, "an event may have no consumer")
        #expect(message.properties.type == "martlet.apns.\(kind.rawValue)")
    }

    @Test mutating func setsCloudEventsAttributes() throws {
        let message = messages.event(try event(traceparent: "00-trace"), now: now)
        let id = try #require(message.properties.messageID)
        #expect(
            Dictionary(uniqueKeysWithValues: message.properties.headers.entries.map { ($0.key, $0.value) }) == [
                "cloudEvents:specversion": "1.0", "cloudEvents:id": .string(id),
                "cloudEvents:source": "/martlet/push-7", "cloudEvents:type": "martlet.apns.sent",
                "cloudEvents:time": "2027-01-15T08:00:00.000Z", "traceparent": "00-trace",
            ])
        #expect(message.properties.contentType == "application/json")
        #expect(message.properties.timestamp == 1_800_000_000)
        #expect(message.properties.appID == "martlet")
        let untraced = messages.event(try event(), now: now)
        #expect(untraced.properties.headers["traceparent"] == nil)
    }

    @Test mutating func assignsUniqueMessageIDs() throws {
        var other = OutboundMessages(names: PipelineNames(), worker: "push-7")
        let made = [messages.event(try event(), now: now), messages.event(try event(), now: now)]
        let foreign = other.event(try event(), now: now)
        #expect(Set(made.map(\.id)).count == 2)
        #expect(Set((made + [foreign]).compactMap(\.properties.messageID)).count == 3)
    }

    @Test(
        arguments: [
            (nil, "job.rejected.unknown"), ("com.example.shop", "job.rejected.com.example.shop"),
        ] as [(String?, String)])
    mutating func listsErrorsInRejectionEvent(app: String?, routingKey: String) throws {
        let rejection = JobRejection(
            jobID: app.map { _ in "order-1" }, app: app,
            faults: [.init(field: "payload", problem: "is required"), .init(field: "\"x", problem: "is not a field")])
        let message = messages.event(rejection, trace: TraceHeaders(traceparent: "00-trace"), now: now)
        #expect(message.exchange == "push.results")
        #expect(message.routingKey == routingKey)
        #expect(message.properties.type == "martlet.job.rejected")
        #expect(message.properties.headers["traceparent"] == "00-trace")
        let body = try JSON.object(message.body)
        #expect(body["kind"] as? String == "job.rejected")
        #expect(body["app"] as? String == app)
        #expect(body["job"] as? String == app.map { _ in "order-1" })
        #expect(body["at"] as? String == "2027-01-15T08:00:00.000Z")
        #expect(
            body["errors"] as? [[String: String]] == [
                ["field": "payload", "problem": "is required"], ["field": "\"x", "problem": "is not a field"],
            ])
    }

    // MARK: Jobs

    @Test mutating func keepsBodyAndListedPropertiesOfDeadJob() throws {
        var properties = AMQPProperties(
            contentType: "text/plain", contentEncoding: "utf-8", correlationID: "c-1", messageID: "m-1", timestamp: 5,
            type: "t", appID: "shop")
        var kept = properties
        kept.deliveryMode = .persistent
        kept.headers["x-martlet-publisher"] = "publisher"
        kept.headers["x-martlet-reason"] = "body: is not JSON"
        properties.userID = "publisher"
        properties.expiration = "1000"
        properties.priority = 31
        properties.replyTo = "amq.rabbitmq.reply-to"
        properties.headers = ["mine": 1, "CC": .array(["urgent"]), "BCC": .array(["bulk"])]
        properties.deliveryMode = .transient
        let message = messages.dead(try inbound(properties), reason: "body: is not JSON")
        #expect(message.exchange == "push.dead")
        #expect(message.routingKey == "bulk")
        #expect(message.isMandatory)
        #expect(message.body == Array("{broken".utf8))
        #expect(message.properties == kept)
    }

    @Test(
        arguments: [
            (false, nil, ["x-martlet-attempt", "x-martlet-part"]),
            (
                true, "00-trace",
                ["x-martlet-attempt", "x-martlet-part", "x-martlet-redelivered", "traceparent", "tracestate"]
            ),
        ] as [(Bool, String?, [String])])
    mutating func keepsLaneAndHistoryOfDelayedJob(
        redelivered: Bool, traceparent: String?, headers: [String]
    ) throws {
        let message = messages.part(
            part(
                try decodedJob(jobBody()), body: [1, 2], attempt: 4, redelivered: redelivered,
                trace: traceparent.map { TraceHeaders(traceparent: $0, tracestate: "a=1") }),
            to: .delay(seconds: 120))
        #expect(message.exchange == "push.delay.120")
        #expect(message.routingKey == "urgent.returned")
        #expect(message.isMandatory)
        #expect(message.body == [1, 2])
        #expect(message.properties.messageID == "order-1")
        #expect(message.properties.userID == nil)
        #expect(message.properties.headers.entries.map(\.key) == headers)
        #expect(message.properties.headers["x-martlet-attempt"] == 4)
        #expect(message.properties.headers["x-martlet-redelivered"] == (redelivered ? true : nil))
        #expect(message.properties.headers["traceparent"]?.string == traceparent)
    }

    @Test mutating func publishesChunkToLaneUnderChunkName() throws {
        let message = messages.part(part(try decodedJob(jobBody()), isChunk: true), to: .returned)
        #expect(message.exchange == "push.moved" && message.routingKey == "urgent.returned" && message.isMandatory)
        #expect(message.properties.headers["x-martlet-part"] == "order-1#7")
        #expect(message.properties.headers["x-martlet-chunk"] == true)
    }

    @Test(
        arguments: [
            (.returned, "push.moved", "bulk.returned"), (.waiting(7), "push.moved", "bulk.waiting.7"),
            (.suspects, "push.moved", "suspects"), (.delay(seconds: 30), "push.delay.30", "bulk.returned"),
        ] as [(OutboundMessages.Destination, String, String)])
    mutating func keepsOnlyListedPropertiesOfMovedJob(
        destination: OutboundMessages.Destination, exchange: String, routingKey: String
    ) throws {
        messages = OutboundMessages(names: PipelineNames(prefix: "push"), worker: "push-7", user: "worker")
        let properties = AMQPProperties(
            contentType: "application/json",
            headers: [
                "mine": 1, "x-delivery-count": 4, "x-death": .array([]), "x-first-death-queue": "q",
                "x-last-death-reason": "expired", "x-martlet-attempt": 3, "CC": .array(["urgent", "bulk"]),
                "BCC": .array(["urgent"]), "x-martlet-chunk": "no flag", "traceparent": "00-trace",
                "tracestate": "a=1,b=2",
            ], priority: 31, replyTo: "amq.rabbitmq.reply-to", expiration: "1000", messageID: "m-1",
            userID: "shop-backend", appID: "shop")
        let message = messages.moved(try inbound(properties, redelivered: true), to: destination)
        #expect(message.exchange == exchange && message.routingKey == routingKey && message.isMandatory)
        #expect(message.body == Array("{broken".utf8))
        #expect(message.properties.userID == "worker", "the broker accepts only the worker's own user")
        #expect(message.properties.messageID == "m-1" && message.properties.appID == "shop")
        #expect(message.properties.priority == nil && message.properties.expiration == nil)
        #expect(message.properties.replyTo == nil && message.properties.deliveryMode == .persistent)
        var headers: [String: AMQPFieldValue] = [
            "x-martlet-attempt": 3, "x-martlet-redelivered": true, "x-martlet-publisher": "shop-backend",
            "x-martlet-delivered-before": true, "traceparent": "00-trace", "tracestate": "a=1,b=2",
            "x-martlet-since": 0,
        ]
        if destination == .suspects { headers["x-martlet-lane"] = "bulk" }
        let entries = message.properties.headers.entries.map { ($0.key, $0.value) }
        #expect(Dictionary(uniqueKeysWithValues: entries) == headers)
        let again = try inbound(message.properties, from: destination == .suspects ? .suspects : .lane(.bulk))
        #expect(again.lane == .bulk && again.attempt == 3 && again.wasSentBefore)
        #expect(again.publisher(worker: "worker") == "shop-backend")
    }

    // MARK: Limits of AMQP

    @Test mutating func limitsTextsToAMQPMaximum() throws {
        let app = String(repeating: "é", count: 100)
        let sent = messages.event(try event(app: app), now: now)
        #expect(sent.routingKey == "apns.sent." + app)
        let rejected = messages.event(
            JobRejection(jobID: nil, app: app + app, faults: []), trace: nil, now: now)
        #expect(rejected.routingKey.utf8.count <= "job.rejected.".count + 200)
        var batcher = EventBatcher(worker: "w", maximumOutcomes: 1)
        let job = try routedJob(jobBody(app: app, more: #""output":"\#(String(repeating: "o", count: 32))","#))
        let longest = batcher.add(job.outcome(0, .unregistered), as: .unregistered, reason: "r", detail: nil)
        #expect(try #require(longest).key.routingKey.utf8.count == 246)

        let dead = messages.dead(try inbound(), reason: String(repeating: "€", count: 100_000))
        #expect(dead.properties.headers["x-martlet-reason"]?.string == String(repeating: "€", count: 666))

        let named = try decodedJob(jobBody(String(repeating: "é", count: 128)))
        let delayed = messages.part(part(named), to: .delay(seconds: 5))
        #expect(delayed.properties.messageID == nil)
    }
}
