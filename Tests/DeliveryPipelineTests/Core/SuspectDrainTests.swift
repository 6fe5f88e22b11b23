import AMQPClient
import DeliveryPipeline
import PushModel
import Testing

/// A stop puts back what is not sent. Among it may be what ends workers: that stays among the suspects.
@Suite struct SuspectDrainTests {
    private func suspect(_ more: String = "", number: UInt64 = 1) -> AMQPDelivery {
        .sample(
            jobBody("suspect-\(number)", more: more), number: number, from: .suspects,
            properties: AMQPProperties(headers: ["x-martlet-lane": "bulk", "x-delivery-count": 1]), redelivered: true)
    }

    /// Where it is now, from which it is taken as one of its lane.
    private func expectAmongSuspects(_ harness: PipelineHarness, _ count: Int = 1) throws {
        #expect(harness.moved == Array(repeating: "martlet.moved suspects", count: count))
        for publication in harness.published {
            #expect(publication.properties.headers["x-martlet-lane"] == "bulk")
            harness.confirm(publication)
        }
        #expect(harness.acknowledged.count == count && harness.drained == 1)
    }

    @Test func oneThatComesDuringADrainGoesBack() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody("other"), number: 9)
        harness.drain()
        harness.deliver([suspect()])
        #expect(harness.moved == ["martlet.moved suspects"])
        #expect(harness.published.first?.properties.headers["x-martlet-lane"] == "bulk")
    }

    @Test func oneThatWaitsGoesBack() throws {
        let harness = PipelineHarness(maximumInFlight: 2)
        harness.deliver(jobBody("other"), number: 9)
        harness.deliver([suspect()])
        #expect(harness.started == ["other"])
        harness.drain()
        #expect(harness.moved == ["martlet.moved suspects"])
    }

    @Test func oneThatAnOutputReturnsIsPutBack() throws {
        let harness = PipelineHarness()
        harness.deliver([suspect()])
        harness.drain()
        harness.report(try harness.job(0), [.returned, .returned])
        try expectAmongSuspects(harness)
    }

    @Test func oneThatIsClaimedDuringADrainGoesBack() throws {
        let harness = PipelineHarness()
        harness.deliver([suspect(#""at_most_once":true,"#)])
        harness.drain()
        try harness.grantClaims()
        try expectAmongSuspects(harness)
    }

    /// It was delivered often enough to be set apart, and is not started anew because somebody stops.
    @Test func oneThatIsToBeSetApartIsSetApartDuringADrain() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody("other"), number: 9)
        harness.drain()
        harness.deliver(
            jobBody("often"), lane: .bulk, properties: AMQPProperties(headers: ["x-delivery-count": 5]),
            redelivered: true)
        #expect(harness.moved == ["martlet.moved suspects"])
        #expect(harness.published.first?.properties.headers["x-martlet-lane"] == "bulk")
    }
}
