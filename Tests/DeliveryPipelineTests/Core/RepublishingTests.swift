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
    func whatTheBrokerWouldNotTakeIsOfferedAgainAfterLongerEachTime(refusal: Int) throws {
        let (harness, retry) = try harnessWithARetry()
        for (round, seconds) in [1, 5, 30, 120, 900, 3_600, 3_600].enumerated() {
            harness.publisher(Self.refusals[refusal](retry))
            #expect(harness.published.count == round + 1)
            #expect(harness.timers == [seconds * 1_000])
            harness.passRefusalWaits()
            #expect(harness.published.map(\.id) == Array(repeating: retry.id, count: round + 2))
            #expect(harness.published.last?.body == retry.body)
            #expect(harness.acknowledged == [])
        }
        #expect(harness.core.currentCounts().messagesRefused == ["martlet.delay.5": 7])
        harness.confirm(retry)
        #expect(harness.acknowledged == [1])
    }

    @Test func whatIsConfirmedMeanwhileIsNotOfferedAgain() throws {
        let (harness, event) = try harnessWithAnEvent()
        harness.publisher(.refused([event.id]))
        harness.confirm(event)
        harness.passOneSecond()
        #expect(harness.published.count == 1)
    }

    /// A retry that its delay queue refuses waits here with its job, which takes room until it is taken.
    @Test func retriesThatAreRefusedKeepOthersFromBeingTakenOn() throws {
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

    // MARK: what the broker never takes

    @Test(arguments: [
        (406, "PRECONDITION_FAILED - message size 2 is larger than configured max size 1"), (0, "too long"),
    ])
    func whatTheBrokerNeverTakesIsLeftToItToDeadLetter(code: UInt16, text: String) throws {
        let (harness, retry) = try harnessWithARetry()
        harness.publisher(.returned(AMQPReturn(id: retry.id, code: code, text: text)))
        #expect(harness.timers == [], "never again")
        #expect(harness.rejected == [], "its event is not confirmed")
        let event = try harness.event(0)
        #expect(event.routingKey == "job.rejected.unknown")
        let errors = try JSON.objects(try JSON.object(event.body)["errors"])
        #expect(errors.count == 1 && errors[0]["field"] as? String == "body")
        let problem = try #require(errors[0]["problem"] as? String)
        #expect(
            problem.contains("martlet.delay.5") && problem.contains(text)
                && problem.contains("\(retry.body.count) bytes"))
        harness.confirm(event)
        #expect(harness.rejected.map(\.number) == [1])
        #expect(harness.letGo.map(\.number) == [1])
        #expect(harness.acknowledged == [])
        #expect(harness.core.currentCounts().jobsOpen == 0)
    }

    @Test func allJobsOfAnEventThatTheBrokerNeverTakesAreDeadLettered() throws {
        let harness = PipelineHarness()
        for number in 1...2 as ClosedRange<UInt64> { harness.deliver(jobBody("\(number)"), number: number) }
        harness.core.report(try harness.job(0).outcome(0, .sent), try harness.job(1).outcome(0, .sent))
        harness.flush()
        let event = try harness.event(0)
        harness.publisher(.returned(AMQPReturn(id: event.id, code: 406, text: "too large")))
        #expect(harness.events.map(\.routingKey) == [event.routingKey, "job.rejected.unknown", "job.rejected.unknown"])
        harness.report(try harness.job(0), [try harness.job(0).outcome(1, .sent)])
        harness.report(try harness.job(1), [try harness.job(1).outcome(1, .sent)])
        for event in harness.events.dropFirst() { harness.confirm(event) }
        #expect(Set(harness.rejected.map(\.number)) == [1, 2] && harness.rejected.count == 2)
    }

    @Test func aRefusalOfWhatIsConfirmedMeansNothing() throws {
        let (harness, event) = try harnessWithAnEvent()
        harness.confirm(event)
        harness.publisher(.refused([event.id, 999]))
        #expect(harness.timers == [])
        #expect(harness.published.count == 1)
    }

    @Test func aLostConnectionPublishesNothingTwiceByItself() throws {
        // the publisher keeps what is unconfirmed and publishes it again when it is back
        let (harness, event) = try harnessWithAnEvent()
        harness.publisher(.disconnected(AMQPError(.connectionFailed, "gone")))
        harness.publisher(.connected)
        #expect(harness.published.count == 1)
        #expect(harness.acknowledged == [])
        harness.confirm(event)
        #expect(harness.acknowledged == [1])
    }

    @Test func whatAClosedPublisherLeavesUnconfirmedIsNeverAcknowledged() throws {
        let (harness, event) = try harnessWithAnEvent()
        harness.drain()
        harness.publisher(.closed(unconfirmed: [event.id], nil))
        #expect(harness.acknowledged == [])
        #expect(harness.drained == 0)
    }

    @Test func aRefusedMessageHoldsUpTheDrain() throws {
        let (harness, event) = try harnessWithAnEvent()
        harness.publisher(.refused([event.id]))
        harness.drain()
        #expect(harness.drained == 0)
        harness.passOneSecond()
        harness.confirm(event)
        #expect(harness.acknowledged == [1])
        #expect(harness.drained == 1)
    }

    @Test func whetherItPublishesFollowsTheConnection() {
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
