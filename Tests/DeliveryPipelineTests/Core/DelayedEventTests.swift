import AMQPClient
import DeliveryPipeline
import PushModel
import Store
import Testing

/// Events that cannot be published. They wait in a delay queue of the broker, and their jobs are acknowledged.
@Suite struct DelayedEventTests {
    private let harness = PipelineHarness(brokerUser: "worker")

    /// Returns the event of a sent job.
    private func event(lane: Lane = .normal) throws -> AMQPPublication {
        harness.deliver(
            jobBody(), lane: lane,
            properties: AMQPProperties(headers: ["traceparent": "00-ab-cd-01", "tracestate": "a=1"]))
        harness.report(try harness.job(0), [.sent, .sent])
        return try harness.event(0)
    }

    /// Returns the message that holds an event in a delay queue, because the broker refused the event twice.
    private func held(lane: Lane = .normal) throws -> AMQPPublication {
        let event = try event(lane: lane)
        harness.publisher(.refused([event.id]))
        harness.passOneSecond()
        harness.publisher(.refused([event.id]))
        return try #require(harness.published.last)
    }

    /// Returns the delivery of a held event after its delay has passed.
    private func comeBack(_ held: AMQPPublication, number: UInt64, userID: String? = "worker") -> AMQPDelivery {
        var properties = held.properties
        properties.userID = userID
        properties.headers["x-death"] = .array([])
        return .sample(String(decoding: held.body, as: UTF8.self), number: number, properties: properties)
    }

    @Test func delaysTwiceRefusedEventInBroker() throws {
        let held = try held(lane: .bulk)
        let event = try harness.event(0)
        #expect(harness.published.map(\.exchange) == ["martlet.results", "martlet.results", "martlet.delay.5"])
        #expect(held.routingKey == "bulk.returned" && held.isMandatory && held.properties.userID == "worker")
        #expect(held.properties.headers["x-martlet-event"] == "apns.sent.com.example.shop")
        #expect(held.body == event.body && held.properties.messageID == event.properties.messageID)
        #expect(harness.timers == [])
        #expect(harness.acknowledged == [])
        harness.confirm(held)
        #expect(harness.acknowledged == [1], "the job must be acknowledged")
        let counts = harness.core.currentCounts()
        #expect(counts.eventsRepeated == 1 && counts.eventsHeld == 1)
        #expect(counts.messagesRefused == ["martlet.results": 2])
    }

    @Test func republishesHeldEventWithIncreasingDelays() throws {
        let original = try event()
        harness.publisher(.refused([original.id]))
        harness.passOneSecond()
        harness.publisher(.refused([original.id]))
        for (number, seconds) in ([5, 30, 120, 900, 3_600, 3_600] as [Int]).enumerated() {
            let held = try #require(harness.published.last)
            #expect(held.exchange == "martlet.delay.\(seconds)")
            harness.confirm(held)
            harness.deliver([comeBack(held, number: UInt64(number) + 2)])
            let again = try #require(harness.published.last)
            #expect(again.exchange == "martlet.results" && again.routingKey == original.routingKey)
            #expect(again.properties == original.properties)
            #expect(again.body == original.body)
            harness.publisher(.refused([again.id]))
            #expect(harness.acknowledged.count == number + 1)
        }
        let held = try #require(harness.published.last)
        harness.confirm(held)
        harness.deliver([comeBack(held, number: 9)])
        harness.confirm(try #require(harness.published.last))
        #expect(harness.acknowledged == [1, 2, 3, 4, 5, 6, 7, 9])
        #expect(harness.core.currentCounts().eventsRepeated == 8)
        #expect(harness.started == ["order-1"], "no push may be sent again")
    }

    @Test func deadLettersHeldEventAfterADay() throws {
        let held = try held()
        harness.confirm(held)
        harness.pass(seconds: 86_400)
        harness.deliver([comeBack(held, number: 2)])
        harness.publisher(.refused([try #require(harness.published.last).id]))
        let dead = try #require(harness.published.last)
        #expect(dead.exchange == "martlet.dead" && dead.body == held.body)
        #expect(
            dead.properties.headers["x-martlet-reason"]?.string?.hasPrefix("result event that could not be published")
                == true)
        harness.confirm(dead)
        #expect(harness.acknowledged == [1, 2])
        #expect(harness.core.currentCounts().eventsDead == 1)
    }

    @Test func retriesEventInWorkerIfDelayQueueRefuses() throws {
        let held = try held()
        for seconds in [1, 5, 30] {
            harness.publisher(.refused([held.id]))
            #expect(harness.timers == [seconds * 1_000])
            harness.passRefusalWaits()
            #expect(harness.published.last?.exchange == "martlet.delay.5")
        }
        harness.confirm(held)
        #expect(harness.acknowledged == [1])
    }

    /// The broker accepted nothing for a long time, and then refuses the event.
    @Test func delaysEventInBrokerAtOnceIfRefusedLate() throws {
        harness.deliver(jobBody())
        harness.report(try harness.job(0), [.sent, .sent])
        let event = try harness.event(0)
        harness.pass(seconds: 1_500)
        harness.publisher(.refused([event.id]))
        #expect(harness.published.last?.exchange == "martlet.delay.1" && harness.published.last?.id == event.id)
    }

    /// The event's jobs must be acknowledged before the broker's consumer timeout.
    @Test func deadLettersEventThatDelayQueueKeepsRefusing() throws {
        let held = try held()
        for _ in 0..<6 {
            harness.publisher(.refused([held.id]))
            harness.passRefusalWaits()
        }
        let dead = try #require(harness.published.last)
        #expect(dead.exchange == "martlet.dead" && dead.id == held.id && dead.body == held.body)
        #expect(dead.properties.headers["x-martlet-event"] == held.properties.headers["x-martlet-event"])
        #expect(
            dead.properties.headers["x-martlet-reason"]
                == .string("martlet.delay.5 refused a message of this job: the broker refused it"))
        harness.confirm(dead)
        #expect(harness.acknowledged == [1] && harness.core.currentCounts().eventsDead == 1)
    }

    @Test func delaysRefusedRejectionEvent() throws {
        harness.deliver("{")
        harness.confirm(try #require(harness.published.first))
        let event = try harness.event(0)
        harness.publisher(.refused([event.id]))
        harness.passOneSecond()
        harness.publisher(.refused([event.id]))
        harness.confirm(try #require(harness.published.last))
        #expect(harness.moved == ["martlet.dead normal", "martlet.delay.5 normal.returned"])
        #expect(harness.acknowledged == [1])
    }

    // MARK: Forged events

    @Test(arguments: [nil, "publisher"])
    func rejectsHeldEventOfOtherUser(userID: String?) throws {
        let forged = try held()
        let count = harness.published.count
        harness.deliver([comeBack(forged, number: 2, userID: userID)])
        let made = harness.published.dropFirst(count).map { $0 }
        #expect(made.map(\.exchange) == ["martlet.dead", "martlet.results"])
        #expect(made.last?.routingKey.hasPrefix("job.rejected") == true)
        #expect(made.first?.properties.headers["x-martlet-event"] == nil, "a worker must not sign a forged event")
    }

    @Test func removesForgedEventHeadersFromMovedJob() throws {
        let harness = PipelineHarness(brokerUser: "worker")
        harness.drain()
        let properties = AMQPProperties(
            headers: ["x-martlet-event": "apns.sent.x", "x-martlet-marks": true, "mine": 1], userID: "publisher")
        harness.deliver("{}", properties: properties)
        let moved = try #require(harness.published.last)
        #expect(moved.exchange == "martlet.moved" && moved.properties.userID == "worker")
        #expect(moved.properties.headers["x-martlet-event"] == nil)
        #expect(moved.properties.headers["x-martlet-marks"] == nil)
    }

    // MARK: Dead tokens that cannot be marked

    private func deadTokens(registeredAt: Int64? = nil) throws -> RoutedJob {
        let registered = registeredAt.map { ",\"registered_at\":\($0)" } ?? ""
        harness.deliver(
            #"{"id":"j","app":"com.example.shop","payload":{},"recipients":["a0",{"token":"A\u0031"\#(registered)},"a2"]}"#
        )
        let job = try harness.job(0)
        harness.report(
            job,
            [
                job.outcome(0, .unregistered, status: 410, reason: "ExpiredToken", unregisteredAt: now),
                job.outcome(1, .unregistered, status: 410, reason: "Unregistered", unregisteredAt: now),
                job.outcome(2, .sent, status: 200),
            ])
        return job
    }

    /// The outcomes must not be delayed for much longer than the database was unavailable.
    @Test func limitsDelayBetweenMarkAttemptsToTwoMinutes() throws {
        _ = try deadTokens(registeredAt: 1_700_000_000)
        harness.passMarkPatience()
        harness.flush()
        var waits: [String] = []
        for number in 2...6 {
            let held = try #require(harness.published.last)
            waits.append(held.exchange)
            harness.confirm(held)
            harness.deliver([comeBack(held, number: UInt64(number))])
        }
        #expect(waits == [5, 30, 120, 120, 120].map { "martlet.delay.\($0)" })
    }

    @Test func delaysEventInBrokerUntilTokensAreMarked() throws {
        _ = try deadTokens(registeredAt: 1_700_000_000)
        try harness.confirmEvent(0)
        #expect(harness.acknowledged == [])
        harness.passMarkPatience()
        harness.flush()
        let held = try #require(harness.published.last)
        #expect(held.exchange == "martlet.delay.5" && held.properties.headers["x-martlet-marks"] == true)
        #expect(harness.events.count == 1, "publish the event after the marks")
        harness.confirm(held)
        #expect(harness.acknowledged == [1], "the job must be acknowledged")

        // The database is still unavailable.
        harness.deliver([comeBack(held, number: 2)])
        let again = try #require(harness.published.last)
        #expect(again.exchange == "martlet.delay.30" && again.body == held.body)
        harness.confirm(again)
        #expect(harness.acknowledged == [1, 2])

        // The database is available again. The statement that timed out marks the tokens but publishes no event.
        harness.written(try harness.mark(0))
        harness.flush()
        #expect(harness.events.count == 1)
        harness.deliver([comeBack(again, number: 3)])
        let marks = try harness.mark(1).marks
        #expect(
            marks.map { "\($0.key.app) \($0.key.token) \($0.unregisteredAt.rfc3339) \($0.reason)" } == [
                "com.example.shop a0 2027-01-15T08:00:00.000Z ExpiredToken",
                "com.example.shop a1 2027-01-15T08:00:00.000Z Unregistered",
            ])
        #expect(harness.events.count == 1)
        harness.written(try harness.mark(1))
        let event = try harness.event(1)
        #expect(event.routingKey == "apns.unregistered.com.example.shop" && event.body == held.body)
        harness.confirm(event)
        #expect(harness.acknowledged == [1, 2, 3])
        #expect(harness.started == ["j"], "no push may be sent again")
        #expect(harness.core.currentCounts().outcomes == ["sent": 1, "unregistered": 2])
    }

    @Test func reportsTokenRegisteredLaterWithoutMark() throws {
        _ = try deadTokens(registeredAt: now.seconds)
        harness.passMarkPatience()
        harness.flush()
        #expect(
            try harness.outcomes().map { "\($0["recipient"] ?? "") \($0["kind"] ?? "")" } == [
                "a2 sent", "A1 unregistered",
            ])
        #expect(harness.moved == ["martlet.delay.5 normal.returned"])
    }

    @Test func delaysFurtherEventsAtOnceWhileMarksAreDelayed() throws {
        _ = try deadTokens()
        harness.passMarkPatience()
        harness.flush()
        harness.deliver(jobBody("2"), number: 2)
        harness.report(try harness.job(1), [.unregistered, .unregistered])
        #expect(harness.marks.count == 1)
        #expect(harness.moved == ["martlet.delay.5 normal.returned", "martlet.delay.5 normal.returned"])
        // The database answers.
        harness.written(try harness.mark(0))
        harness.deliver(jobBody("3"), number: 3)
        harness.report(try harness.job(2), [.unregistered, .unregistered])
        #expect(harness.marks.count == 2)
    }

    @Test func marksTokensOfReturnedEventsInBatches() throws {
        let recipients = (0..<500).map { "\"\(String($0 + 4_096, radix: 16))\"" }.joined(separator: ",")
        harness.deliver(#"{"id":"j","app":"com.example.shop","payload":{},"recipients":[\#(recipients)]}"#)
        let job = try harness.job(0)
        harness.report(job, job.job.recipients.indices.map { job.outcome($0, .unregistered, reason: "Unregistered") })
        harness.passMarkPatience()
        harness.flush()
        harness.written(try harness.mark(0))
        let held = try #require(harness.published.last)
        harness.deliver((2...11).map { comeBack(held, number: $0) })
        for batch in 1...5 {
            #expect(harness.marks.count == batch + 1)
            #expect(try harness.mark(batch).marks.count == 1_000)
            harness.written(try harness.mark(batch))
        }
        #expect(harness.events.count == 10)
    }

    @Test func reportsAgeOfOldestJob() throws {
        harness.deliver(jobBody())
        harness.pass(seconds: 7)
        harness.deliver(jobBody("2"), number: 2)
        #expect(harness.core.currentCounts().oldestJobSeconds == 7)
        harness.report(try harness.job(0), [.sent, .sent])
        try harness.confirmEvent(0)
        #expect(harness.core.currentCounts().oldestJobSeconds == 0)
    }
}
