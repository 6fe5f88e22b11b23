import AMQPClient
import DeliveryPipeline
import PushModel
import Testing

@Suite struct RepublishingTests {
    private func harnessWithAnEvent() throws -> (PipelineHarness, AMQPPublication) {
        let harness = PipelineHarness()
        harness.deliver(jobBody())
        harness.report(try harness.job(0), [.sent, .sent])
        return (harness, try #require(harness.events.first))
    }

    private func harnessWithARetry() throws -> (PipelineHarness, AMQPPublication) {
        let harness = PipelineHarness(brokerUser: "worker")
        harness.deliver(jobBody())
        harness.report(try harness.job(0), [.retry, .retry])
        return (harness, try #require(harness.published.first))
    }

    static let refusals: [@Sendable (AMQPPublication) -> AMQPPublisherEvent] = [
        { .refused([$0.id]) },
        { .returned(AMQPReturn(id: $0.id, code: 312, text: "NO_ROUTE")) },
    ]

    @Test(arguments: refusals.indices)
    func republishesRefusedMessageWithIncreasingBackoff(refusal: Int) throws {
        let (harness, retry) = try harnessWithARetry()
        for (round, seconds) in [1, 5, 30, 120, 900].enumerated() {
            harness.publisher(Self.refusals[refusal](retry))
            #expect(harness.published.count == round + 1)
            #expect(harness.timers == [seconds * 1_000])
            harness.passRefusalWaits()
            #expect(harness.published.map(\.id) == Array(repeating: retry.id, count: round + 2))
            #expect(harness.published.last?.body == retry.body)
            #expect(harness.acknowledged == [])
        }
        #expect(harness.core.currentCounts().messagesRefused == ["martlet.delay.5": 5])
        harness.confirm(retry)
        #expect(harness.acknowledged == [1])
    }

    /// RabbitMQ closes the channel because of one message, and does not report which others it has accepted.
    @Test(arguments: refusals.indices) func flagsRefusedMessageThatBrokerMayHaveAccepted(refusal: Int) throws {
        let (harness, retry) = try harnessWithARetry()
        harness.publisher(.mayBeTaken([retry.id]))
        harness.publisher(Self.refusals[refusal](retry))
        harness.passRefusalWaits()
        let headers = harness.published.map { $0.properties.headers["x-martlet-redelivered"] }
        #expect(headers == [nil, true])
        harness.publisher(Self.refusals[refusal](retry))
        harness.passRefusalWaits()
        #expect(harness.published.last?.properties.headers["x-martlet-redelivered"] == true)
    }

    @Test func flagsDeadLetterThatBrokerMayHaveAccepted() throws {
        let harness = PipelineHarness(brokerUser: "worker")
        harness.deliver("{}")
        let dead = try #require(harness.published.last { $0.exchange == "martlet.dead" })
        harness.publisher(.mayBeTaken([dead.id]))
        harness.publisher(.refused([dead.id]))
        harness.passRefusalWaits()
        let again = try #require(harness.published.last { $0.id == dead.id })
        #expect(dead.properties.headers["x-martlet-redelivered"] == nil)
        #expect(again.properties.headers["x-martlet-redelivered"] == true)
    }

    /// The retry's job must be acknowledged before the broker's consumer timeout.
    @Test func deadLettersRetryThatBrokerKeepsRefusing() throws {
        let (harness, retry) = try harnessWithARetry()
        for _ in 0..<6 {
            harness.publisher(.refused([retry.id]))
            harness.passRefusalWaits()
        }
        let dead = try #require(harness.published.last { $0.exchange == "martlet.dead" })
        let problem = "martlet.delay.5 refused a message of this job: the broker refused it"
        #expect(dead.id == retry.id && dead.body == retry.body && dead.routingKey == "normal")
        #expect(dead.properties.headers["x-martlet-reason"] == .string("message: \(problem)"))
        let event = try #require(harness.events.last)
        let errors = try JSON.objects(try JSON.object(event.body)["errors"])
        #expect(errors.count == 1 && errors[0]["problem"] as? String == problem)
        #expect(event.routingKey == "job.rejected.com.example.shop")
        harness.publisher(.refused([retry.id]))
        harness.passRefusalWaits()
        #expect(harness.published.last?.exchange == "martlet.dead" && harness.events.count == 1, "no second event")
        harness.confirm(dead)
        #expect(harness.acknowledged == [] && harness.core.currentCounts().jobsOpen == 1, "the event is unconfirmed")
        harness.confirm(event)
        #expect(harness.acknowledged == [1] && harness.core.currentCounts().obligationsOpen == 0)
    }

    /// A job that was delivered long ago has no time for further back-offs.
    @Test func deadLettersRefusedRetryBeforeConsumerTimeout() throws {
        let (harness, retry) = try harnessWithARetry()
        harness.pass(seconds: 1_495)
        harness.publisher(.refused([retry.id]))
        #expect(harness.timers == [1_000])
        harness.passOneSecond()
        harness.publisher(.refused([retry.id]))
        #expect(harness.timers == [5_000])
        harness.pass(seconds: 1)
        harness.passRefusalWaits()
        harness.publisher(.refused([retry.id]))
        #expect(harness.timers == [] && harness.moved.last == "martlet.dead normal")
    }

    /// The publisher flags a message that it publishes again. A refusal after that must not remove the flag.
    @Test func flagsRetryRepublishedAfterLostConnection() throws {
        let (harness, retry) = try harnessWithARetry()
        harness.publisher(.disconnected(AMQPError(.connectionFailed, "gone")))
        harness.publisher(.connected)
        harness.publisher(.refused([retry.id]))
        harness.passOneSecond()
        #expect(harness.published.map { $0.properties.headers["x-martlet-redelivered"] == true } == [false, true])
    }

    // MARK: Moved jobs

    private func harnessWithAMove() throws -> (PipelineHarness, AMQPPublication) {
        let harness = PipelineHarness()
        harness.deliver(jobBody(more: #""send_at":1800000900,"#))
        return (harness, try #require(harness.published.first))
    }

    @Test func dropsRefusedMoveWhenConnectionIsLost() throws {
        let (harness, move) = try harnessWithAMove()
        harness.publisher(.refused([move.id]))
        harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        harness.passRefusalWaits()
        #expect(harness.published.count == 1, "the broker redelivers the job")
        #expect(harness.released.count == 1 && harness.core.currentCounts().jobsOpen == 0)
    }

    @Test func dropsMoveRefusedAfterConnectionIsLost() throws {
        let (harness, move) = try harnessWithAMove()
        harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        #expect(harness.core.currentCounts().jobsOpen == 1, "the broker may have accepted the move")
        harness.publisher(.refused([move.id]))
        #expect(harness.timers == [] && harness.published.count == 1)
        #expect(harness.released.count == 1 && harness.core.currentCounts().jobsOpen == 0)
    }

    @Test func keepsMoveOfAtMostOnceJobAfterLostConnection() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(more: #""at_most_once":true,"#))
        harness.drain()
        try harness.grantClaims()
        let move = try #require(harness.published.first)
        harness.publisher(.refused([move.id]))
        harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        harness.passRefusalWaits()
        #expect(
            harness.published.map(\.id) == [move.id, move.id], "a redelivery would be dropped as a copy")
    }

    @Test func doesNotRepublishMessageConfirmedMeanwhile() throws {
        let (harness, event) = try harnessWithAnEvent()
        harness.publisher(.refused([event.id]))
        harness.confirm(event)
        harness.passOneSecond()
        #expect(harness.published.count == 1)
    }

    /// A retry that its delay queue refuses waits in the worker. Until it is accepted, its job counts toward the limit.
    @Test func countsRefusedRetriesTowardLimit() throws {
        let harness = PipelineHarness(maximumInFlight: 4)
        harness.deliver((0..<10).map { .sample(jobBody("\($0)"), number: $0) })
        #expect(harness.started == ["0", "1"])
        for job in harness.output.jobs { harness.report(job, [.retry, .retry]) }
        let retries = harness.published
        for _ in 0..<5 {
            harness.publisher(.refused(retries.map(\.id)))
            harness.passRefusalWaits()
        }
        #expect(harness.started.count == 2 && harness.acknowledged == [])
        harness.confirm(retries[0])
        #expect(harness.started == ["0", "1", "2"] && harness.acknowledged == [0])
    }

    // MARK: Messages that the broker never accepts

    @Test(arguments: [
        (406, "PRECONDITION_FAILED - message size 2 is larger than configured max size 1"), (0, "too long"),
    ])
    func rejectsJobWhoseRetryTheBrokerNeverAccepts(code: UInt16, text: String) throws {
        let (harness, retry) = try harnessWithARetry()
        harness.publisher(.returned(AMQPReturn(id: retry.id, code: code, text: text)))
        #expect(harness.timers == [], "must not be retried")
        #expect(harness.rejected == [], "the event is not confirmed yet")
        let event = try harness.event(0)
        #expect(event.routingKey == "job.rejected.com.example.shop")
        let errors = try JSON.objects(try JSON.object(event.body)["errors"])
        #expect(errors.count == 1 && errors[0]["field"] as? String == "body")
        let problem = try #require(errors[0]["problem"] as? String)
        #expect(
            problem.contains("martlet.delay.5") && problem.contains(text)
                && problem.contains("\(retry.body.count) bytes"))
        harness.confirm(event)
        #expect(harness.rejected.map(\.number) == [1])
        #expect(harness.released.map(\.number) == [1])
        #expect(harness.acknowledged == [])
        #expect(harness.core.currentCounts().jobsOpen == 0)
    }

    @Test func rejectsAllJobsOfEventTheBrokerNeverAccepts() throws {
        let harness = PipelineHarness()
        for number in 1...2 as ClosedRange<UInt64> { harness.deliver(jobBody("\(number)"), number: number) }
        harness.core.report(try harness.job(0).outcome(0, .sent), try harness.job(1).outcome(0, .sent))
        harness.flush()
        let event = try harness.event(0)
        harness.publisher(.returned(AMQPReturn(id: event.id, code: 406, text: "too large")))
        #expect(
            harness.events.map(\.routingKey) == [
                event.routingKey, "job.rejected.com.example.shop", "job.rejected.com.example.shop",
            ])
        harness.report(try harness.job(0), [try harness.job(0).outcome(1, .sent)])
        harness.report(try harness.job(1), [try harness.job(1).outcome(1, .sent)])
        for event in harness.events.dropFirst() { harness.confirm(event) }
        #expect(Set(harness.rejected.map(\.number)) == [1, 2] && harness.rejected.count == 2)
    }

    @Test func ignoresRefusalOfConfirmedMessage() throws {
        let (harness, event) = try harnessWithAnEvent()
        harness.confirm(event)
        harness.publisher(.refused([event.id, 999]))
        #expect(harness.timers == [])
        #expect(harness.published.count == 1)
    }

    @Test func doesNotRepublishOnLostConnection() throws {
        // The publisher keeps unconfirmed messages and publishes them again after it has reconnected.
        let (harness, event) = try harnessWithAnEvent()
        harness.publisher(.disconnected(AMQPError(.connectionFailed, "gone")))
        harness.publisher(.connected)
        #expect(harness.published.count == 1)
        #expect(harness.acknowledged == [])
        harness.confirm(event)
        #expect(harness.acknowledged == [1])
    }

    @Test func doesNotAcknowledgeUnconfirmedEventOfClosedPublisher() throws {
        let (harness, event) = try harnessWithAnEvent()
        harness.drain()
        harness.publisher(.closed(unconfirmed: [event.id], nil))
        #expect(harness.acknowledged == [])
        #expect(harness.drained == 0)
    }

    @Test func drainWaitsForRefusedMessage() throws {
        let (harness, event) = try harnessWithAnEvent()
        harness.publisher(.refused([event.id]))
        harness.drain()
        #expect(harness.drained == 0)
        harness.passOneSecond()
        harness.confirm(event)
        #expect(harness.acknowledged == [1])
        #expect(harness.drained == 1)
    }

    @Test func isPublishingFollowsConnectionState() {
        let harness = PipelineHarness()
        let steps: [(AMQPPublisherEvent, Bool)] = [
            (.connected, true), (.blocked(reason: "disk"), false), (.unblocked, true),
            (.blocked(reason: "disk"), false),
            (.disconnected(AMQPError(.connectionFailed, "gone")), false), (.connected, true),
            (.closed(unconfirmed: [], nil), false),
        ]
        for (event, isPublishing) in steps {
            harness.publisher(event)
            #expect(harness.core.currentCounts().isPublishing == isPublishing, "after \(event)")
        }
    }
}

extension PipelineCore {
    fileprivate func report(_ outcomes: Outcome...) { report(outcomes) }
}
