import AMQPClient
import Testing

@Suite("Open deliveries")
struct OpenDeliveriesTests {
    @Test("settlements of a lost connection's deliveries are never written")
    func dropsSettlementsOfLostConnection() {
        var open = OpenDeliveries(indices: [0, 1])
        open.connected()
        let old = open.tag(queue: 0, number: 2)
        #expect(accept(&open, old))
        open.gatherAcknowledgements()
        #expect(open.outgoing.count == 1)
        open.disconnected()
        #expect(open.outgoing == [], "pending settlements are dropped, too")
        #expect(accept(&open, old), "accepted between connections")
        open.connected()
        #expect(accept(&open, old, multiple: true) && reject(&open, old))
        open.gatherAcknowledgements()
        #expect(open.outgoing == [])
        #expect(accept(&open, open.tag(queue: 0, number: 2)))
        open.gatherAcknowledgements()
        #expect(open.outgoing.count == 1)
    }

    @Test("tags use the configured queue indices, and tags of other consumers are ignored")
    func usesConfiguredQueueIndices() {
        var open = OpenDeliveries(indices: [5, 2])
        open.connected()
        #expect(open.tag(queue: 0, number: 1).queueIndex == 5)
        #expect(accept(&open, AMQPDeliveryTag(epoch: 1, queueIndex: 2, number: 1)))
        #expect(accept(&open, AMQPDeliveryTag(epoch: 1, queueIndex: 0, number: 1)))
        open.gatherAcknowledgements()
        #expect(open.outgoing.map(\.queue) == [1])
    }

    @Test("a rejection is written before a multiple that would cover it")
    func writesRejectionBeforeMultiple() {
        var open = OpenDeliveries(indices: [0])
        open.connected()
        #expect(accept(&open, open.tag(queue: 0, number: 2)))
        #expect(reject(&open, open.tag(queue: 0, number: 1)))
        #expect(!reject(&open, open.tag(queue: 0, number: 1)))
        open.gatherAcknowledgements()
        #expect(
            open.outgoing.map(\.settlement) == [
                .rejection(1, requeue: true), .acknowledgement(.init(number: 2, multiple: true)),
            ])
        open.written(2)
        #expect(open.outgoing == [])
    }

    private func accept(_ open: inout OpenDeliveries, _ tag: AMQPDeliveryTag, multiple: Bool = false) -> Bool {
        open.acknowledge(AMQPAcknowledgement(tag, multiple: multiple))
    }

    private func reject(_ open: inout OpenDeliveries, _ tag: AMQPDeliveryTag) -> Bool {
        open.reject(tag, requeue: true)
    }
}
