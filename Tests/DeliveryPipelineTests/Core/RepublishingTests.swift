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

    static let refusals: [@Sendable (AMQPPublication) -> AMQPPublisherEvent] = [
        { .refused([$0.id]) },
        { .returned(AMQPReturn(id: $0.id, code: 312, text: "NO_ROUTE")) },
    ]

    @Test(arguments: refusals.indices)
    func whatTheBrokerWouldNotTakeIsOfferedAgainAfterASecond(refusal: Int) throws {
        let (harness, event) = try harnessWithAnEvent()
        for round in 1...3 {
            harness.publisher(Self.refusals[refusal](event))
            #expect(harness.published.count == round)
            #expect(harness.timers == [1_000])
            harness.passOneSecond()
            #expect(harness.published.map(\.id) == Array(repeating: event.id, count: round + 1))
            #expect(harness.published.last?.body == event.body)
            #expect(harness.acknowledged == [])
        }
        harness.confirm(event)
        #expect(harness.acknowledged == [1])
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
