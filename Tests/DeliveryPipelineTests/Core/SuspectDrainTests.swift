import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Testing

/// Tests of suspects that are requeued on shutdown. They must return to the queue of suspects, because they may crash
/// workers.
@Suite struct SuspectDrainTests {
    private func suspect(_ more: String = "", number: UInt64 = 1) -> AMQPDelivery {
        .sample(
            jobBody("suspect-\(number)", more: more), number: number, from: .suspects,
            properties: AMQPProperties(headers: ["x-martlet-lane": "bulk", "x-delivery-count": 1]), redelivered: true)
    }

    /// Expects that the jobs were moved to the queue of suspects with their lane in a header, and that the drain ended.
    private func expectAmongSuspects(_ harness: PipelineHarness, _ count: Int = 1) throws {
        #expect(harness.moved == Array(repeating: "martlet.moved suspects", count: count))
        for publication in harness.published {
            #expect(publication.properties.headers["x-martlet-lane"] == "bulk")
            harness.confirm(publication)
        }
        #expect(harness.acknowledged.count == count && harness.drained == 1)
    }

    @Test func requeuesSuspectThatArrivesDuringDrain() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody("other"), number: 9)
        harness.drain()
        harness.deliver([suspect()])
        #expect(harness.moved == ["martlet.moved suspects"])
        #expect(harness.published.first?.properties.headers["x-martlet-lane"] == "bulk")
    }

    @Test func requeuesWaitingSuspect() throws {
        let harness = PipelineHarness(maximumInFlight: 2)
        harness.deliver(jobBody("other"), number: 9)
        harness.deliver([suspect()])
        #expect(harness.started == ["other"])
        harness.drain()
        #expect(harness.moved == ["martlet.moved suspects"])
    }

    @Test func requeuesSuspectReturnedByOutput() throws {
        let harness = PipelineHarness()
        harness.deliver([suspect()])
        harness.drain()
        harness.report(try harness.job(0), [.returned, .returned])
        try expectAmongSuspects(harness)
    }

    @Test func requeuesSuspectClaimedDuringDrain() throws {
        let harness = PipelineHarness()
        harness.deliver([suspect(#""at_most_once":true,"#)])
        harness.drain()
        try harness.grantClaims()
        try expectAmongSuspects(harness)
    }

    /// A job that was delivered too often must be moved to the suspects, not to its lane, even during a drain.
    @Test func movesJobToSuspectsDuringDrain() throws {
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
