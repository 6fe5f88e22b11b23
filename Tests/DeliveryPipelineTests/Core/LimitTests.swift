import AMQPClient
import DeliveryPipeline
import PushModel
import Testing

/// Each limit from both sides; what is beyond is told with the limit's name and value.
@Suite struct LimitTests {
    private func problem(_ harness: PipelineHarness) throws -> String {
        let errors = try JSON.objects(try JSON.object(try harness.event(0).body)["errors"])
        let error = try #require(errors.first)
        #expect(harness.moved == ["martlet.dead normal"])
        return "\(error["field"] ?? "-"): \(error["problem"] ?? "-")"
    }

    private func body(payload bytes: Int = 20) -> String {
        let filling = String(repeating: "x", count: bytes - #"{"a":""}"#.utf8.count)
        return #"{"id":"order-1","app":"com.example.shop","payload":{"a":"\#(filling)"},"recipients":["aa","bb","cc"]}"#
    }

    @Test func bytes() throws {
        let body = body()
        let fitting = PipelineHarness { $0.maximumJobBytes = body.utf8.count }
        fitting.deliver(body)
        #expect(fitting.started == ["order-1"])
        let tight = PipelineHarness { $0.maximumJobBytes = body.utf8.count - 1 }
        tight.deliver(body, properties: AMQPProperties(messageID: "m-1"))
        let size = body.utf8.count
        #expect(try problem(tight) == "body: has \(size) bytes, more than jobs.maximum_bytes = \(size - 1)")
        #expect(try JSON.object(try tight.event(0).body)["job"] as? String == "m-1")
    }

    @Test func recipients() throws {
        let fitting = PipelineHarness { $0.maximumRecipients = 3 }
        fitting.deliver(body())
        #expect(try fitting.job(0).job.recipients.count == 3)
        let tight = PipelineHarness { $0.maximumRecipients = 2 }
        tight.deliver(body())
        #expect(try problem(tight) == "recipients: has 3, more than jobs.maximum_recipients = 2")
    }

    @Test func payload() throws {
        let fitting = PipelineHarness()
        fitting.deliver(body(payload: 65_536))
        #expect(fitting.started == ["order-1"])
        let tight = PipelineHarness()
        tight.deliver(body(payload: 65_537))
        #expect(try problem(tight) == "payload: has 65537 bytes, more than the 65536 that a job's payload may have")
    }

    @Test func aRecipientsOwnPayloadIsItsOwnAffair() throws {
        let own = #"{"a":"\#(String(repeating: "x", count: 70_000))"}"#
        let harness = PipelineHarness()
        harness.deliver(body().replacing(#""aa""#, with: #"{"token":"aa","payload":\#(own)}"#))
        #expect(harness.started == ["order-1"], "that is refused for this one alone, by the output")
    }

    @Test func depth() throws {
        func nested(_ levels: Int) -> String {
            body().replacing(
                #"{"a":"#,
                with: #"{"b":"# + String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
                    + #","a":"#)
        }
        let fitting = PipelineHarness()
        fitting.deliver(nested(62))
        #expect(fitting.started == ["order-1"], "the job and its payload are two levels")
        let tight = PipelineHarness()
        tight.deliver(nested(63))
        #expect(try problem(tight).contains("nested deeper than 64 levels"))
    }

    @Test func headers() throws {
        // On the wire: 4 for the table, 1 + 1 for the name, 5 for the value's kind and length.
        func properties(_ bytes: Int) -> AMQPProperties {
            AMQPProperties(headers: ["a": .string(String(repeating: "x", count: bytes - 11))])
        }
        let fitting = PipelineHarness()
        fitting.deliver(body(), properties: properties(32_768))
        #expect(fitting.started == ["order-1"])
        let tight = PipelineHarness()
        tight.deliver(body(), properties: properties(32_769))
        #expect(try problem(tight) == "headers: have 32769 bytes, more than the 32768 that a job's headers may have")
    }

    @Test(arguments: [(0, true), (300, true), (301, false)])
    func aRegistrationToCome(secondsAhead: Int64, isTaken: Bool) throws {
        let harness = PipelineHarness()
        let time = now.seconds + secondsAhead
        harness.deliver(body().replacing(#""bb""#, with: #"{"token":"bb","registered_at":\#(time)}"#))
        if isTaken {
            #expect(try harness.job(0).job.recipients[1].registeredAt?.seconds == time)
        } else {
            #expect(try problem(harness) == "recipients[1].registered_at: 2027-01-15T08:05:01.000Z is in the future")
        }
    }

    @Test func whatIsTooLargeIsRefusedBeforeAnythingElse() throws {
        let headers: AMQPFieldTable = ["a": .bytes(Array(repeating: 0, count: 40_000)), "x-delivery-count": 9]
        let suspicious = PipelineHarness()
        suspicious.deliver(body(), properties: AMQPProperties(headers: headers))
        #expect(suspicious.moved == ["martlet.dead normal"], "rather than to the suspects, where it might not get")
        let draining = PipelineHarness()
        draining.drain()
        draining.deliver(body(), properties: AMQPProperties(headers: headers))
        #expect(draining.moved == ["martlet.dead normal"])
    }

    // MARK: what no frame holds

    private func refuse(_ publication: AMQPPublication, _ harness: PipelineHarness) {
        harness.publisher(
            .returned(AMQPReturn(id: publication.id, code: 0, text: "headers are larger than 5192 bytes")))
    }

    @Test func aDeadJobLeavesWithItsReasonAlone() throws {
        let harness = PipelineHarness()
        let headers: AMQPFieldTable = [
            "mine": .string(String(repeating: "x", count: 10_000)), "x-martlet-attempt": 2,
            "x-martlet-part": .string(String(repeating: "x", count: 10_000)), "x-death": .array([]),
        ]
        harness.deliver("{" + String(repeating: "€", count: 900), properties: AMQPProperties(headers: headers))
        let first = try #require(harness.published.first)
        refuse(first, harness)
        let again = try #require(harness.published.last)
        #expect(again.id == first.id && again.exchange == "martlet.dead" && again.body == first.body)
        #expect(
            again.properties.headers.entries.map(\.key).sorted() == [
                "x-martlet-attempt", "x-martlet-dropped-headers", "x-martlet-reason",
            ])
        #expect(again.properties.headers["x-martlet-dropped-headers"] == 3)
        #expect(again.properties.headers["x-martlet-reason"]?.string?.hasPrefix("body: is not valid JSON") == true)
        #expect(harness.timers == [], "at once")
        for publication in harness.published { harness.confirm(publication) }
        #expect(harness.acknowledged == [1])
    }

    @Test func aLongReasonIsCutFurther() throws {
        let harness = PipelineHarness()
        harness.deliver(
            jobBody(more: #""\#(String(repeating: "€", count: 700))":1,"#),
            properties: AMQPProperties(headers: ["mine": 1]))
        let first = try #require(harness.published.first)
        #expect(first.properties.headers["x-martlet-reason"]?.string?.utf8.count == 1_998)
        refuse(first, harness)
        #expect(harness.published.last?.properties.headers["x-martlet-reason"]?.string?.utf8.count == 498)
    }

    @Test func whatCantBeMadeSmallerIsOfferedAgainAfterASecond() throws {
        let harness = PipelineHarness()
        harness.deliver("{", properties: AMQPProperties(headers: ["mine": 1]))
        let first = try #require(harness.published.first)
        refuse(first, harness)
        refuse(first, harness)
        #expect(harness.published.count == 3)
        #expect(harness.timers == [1_000])
    }
}
