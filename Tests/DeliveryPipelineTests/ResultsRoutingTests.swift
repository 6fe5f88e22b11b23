import Contract
import DeliveryPipeline
import PushModel
import Testing

struct ResultsRoutingTests {
    private let start = Timestamp(seconds: 1_800_000_000)

    private func later(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: start.milliseconds + milliseconds)
    }

    @Test func samplesOneEventOfEachKindPerSecond() {
        var routing = ResultsRouting()
        let samples: [(OutcomeKind, Int64)] = [
            (.sent, 0), (.sent, 999), (.unregistered, 999), (.sent, 1_000),
            // The clock was set back.
            (.sent, -60_000),
        ]
        var sampled: [Bool] = []
        for (kind, milliseconds) in samples { sampled.append(routing.samples(kind, now: later(milliseconds))) }
        #expect(sampled == [true, false, true, true, true])
    }

    @Test func countsSampledEventsAsRoutedOrUnrouted() {
        var routing = ResultsRouting()
        routing.isUnroutable(7)
        routing.confirmed(6, routingKey: "apns.sent.a")
        routing.confirmed(7, routingKey: "apns.sent.b")
        #expect(routing.counts == .init(routed: 1, unrouted: 1, lastUnrouted: "apns.sent.b"))
    }

    @Test(arguments: [{ $0.disconnected() }, { $0.refused(7) }] as [@Sendable (inout ResultsRouting) -> Void])
    func countsRepublishedEventBySecondConfirm(after loss: @Sendable (inout ResultsRouting) -> Void) {
        var routing = ResultsRouting()
        routing.isUnroutable(7)
        loss(&routing)
        routing.confirmed(7, routingKey: "apns.sent.a")
        #expect(routing.counts == .init(routed: 1))
    }
}
