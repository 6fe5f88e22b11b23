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

    @Test("settlements of a closed channel's deliveries do not apply to the next channel")
    func dropsSettlementsOfClosedChannel() {
        var open = OpenDeliveries(indices: [0, 1])
        open.connected()
        let (old, other) = (open.tag(queue: 0, number: 1), open.tag(queue: 1, number: 1))
        #expect(accept(&open, open.tag(queue: 0, number: 3)))
        open.gatherAcknowledgements()
        open.channelClosed(0)
        #expect(open.outgoing == [], "nothing is written to a closed channel")
        let new = open.tag(queue: 0, number: 1)
        #expect(new != old && new.epoch == old.epoch)
        #expect(accept(&open, old) && reject(&open, old) && accept(&open, other))
        open.gatherAcknowledgements()
        #expect(open.outgoing.map(\.queue) == [1])
        #expect(accept(&open, new) && !accept(&open, new))
        open.gatherAcknowledgements()
        #expect(open.outgoing.last?.settlement == .acknowledgement(.init(number: 1, multiple: true)))
    }

    @Test("any number of channels may be closed, with or without deliveries, and after impossible numbers")
    func survivesManyClosedChannels() {
        var open = OpenDeliveries(indices: [0])
        open.connected()
        var old: [AMQPDeliveryTag] = []
        for turn in 0..<70_000 {
            if turn % 10_000 == 0 { old.append(open.tag(queue: 0, number: 3)) }
            open.channelClosed(0)
        }
        let new = open.tag(queue: 0, number: 1)
        #expect(new.number == 22, "seven channels had three deliveries each, the others none")
        #expect(old.allSatisfy { accept(&open, $0, multiple: true) && reject(&open, $0) })
        open.gatherAcknowledgements()
        #expect(open.outgoing == [])
        #expect(accept(&open, new) && !accept(&open, new))
        for number in [UInt64.max, 5, .max] {
            _ = open.tag(queue: 0, number: number)
            open.channelClosed(0)
        }
        #expect(accept(&open, open.tag(queue: 0, number: .max)))
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
