import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Testing

/// The reactions of a worker to the broker's delivery count.
@Suite struct SuspicionTests {
    private static let lost = AMQPConsumerEvent.disconnected(AMQPError(.connectionLost, "gone"))

    private func again(_ body: String = jobBody(), number: UInt64 = 7, deliveries: Int64) -> AMQPDelivery {
        .sample(
            body, number: number, from: .lane(.normal),
            properties: AMQPProperties(headers: ["x-delivery-count": .int64(deliveries)]), redelivered: true,
            connection: 7)
    }

    @Test(arguments: [
        (0, 0, Suspicion.none), (4, 0, .none), (5, 0, .suspect), (6, 6, .none), (10, 6, .none), (11, 6, .suspect),
        (14, 14, .none), (15, 14, .renew), (19, 20, .renew), (19, 14, .suspect),
    ])
    func suspectsJobWithUnexplainedDeliveries(deliveries: Int, survived: Int, expected: Suspicion) {
        for queue in JobQueue.all where queue != .suspects {
            #expect(Suspicion(deliveries: deliveries, survived: survived, queue: queue) == expected)
        }
    }

    @Test(arguments: [(2, 0, Suspicion.none), (3, 0, .none), (3, 2, .none), (3, 3, .renew), (9, 0, .none)])
    func republishesSuspectOnlyIfLossesExplainAllDeliveries(deliveries: Int, survived: Int, expected: Suspicion) {
        #expect(Suspicion(deliveries: deliveries, survived: survived, queue: .suspects) == expected)
    }

    @Test func suspectsNoJobForSurvivedLosses() {
        let harness = PipelineHarness()
        for _ in 1...6 {
            harness.consumer(.connected(queues: []))
            harness.consumer(Self.lost)
            // A failed attempt to reconnect is not a loss.
            harness.consumer(Self.lost)
        }
        harness.consumer(.connected(queues: []))
        harness.deliver((1...600).map { again(jobBody("\($0)"), number: $0, deliveries: 6) })
        #expect(harness.core.currentCounts().jobsSuspected == 0 && harness.moved.isEmpty)
        #expect(harness.started.count == 600)
        harness.deliver([again(jobBody("poison"), number: 601, deliveries: 11)])
        #expect(harness.core.currentCounts().jobsSuspected == 1 && harness.moved == ["martlet.moved suspects"])
    }

    @Test func republishesJobNearDeliveryLimit() throws {
        let harness = PipelineHarness()
        for _ in 1...20 {
            harness.consumer(.connected(queues: []))
            harness.consumer(Self.lost)
        }
        harness.deliver([again(deliveries: 15)])
        #expect(harness.moved == ["martlet.moved normal.returned"] && harness.core.currentCounts().jobsSuspected == 0)
        let renewed = try #require(harness.published.first)
        #expect(renewed.properties.headers["x-delivery-count"] == nil)
        #expect(renewed.properties.headers["x-martlet-redelivered"] == true)
    }

    @Test func ignoresOldLossesAndLossesOfOtherConnections() {
        var losses = SurvivedLosses()
        for _ in 0..<30 { losses.add([.lane(.urgent)], now: now) }
        losses.add([.lane(.normal), .lane(.bulk)], now: now)
        #expect(losses.count(of: .lane(.urgent), now: now) == 20)
        #expect(losses.count(of: .lane(.bulk), now: now) == 1 && losses.count(of: .suspects, now: now) == 0)
        let later = Timestamp(milliseconds: now.milliseconds + SurvivedLosses.longestMemory + 1)
        #expect(losses.count(of: .lane(.urgent), now: later) == 0)
        losses.add([.lane(.urgent)], now: later)
        #expect(losses.count(of: .lane(.urgent), now: later) == 1)
    }
}
