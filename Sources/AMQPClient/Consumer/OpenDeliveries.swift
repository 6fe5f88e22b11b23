/// What the broker is to be told of the deliveries of one consumer, over all its queues and, one after the other, its
/// connections. A value: tags go in, what to write comes out.
///
/// A tag holds for the connection it came over. Once that is lost the broker delivers the message again, so whatever is
/// said of an older tag is left out; a later connection counts from 1 again and would take it for another message.
package struct OpenDeliveries: Sendable {
    package enum Settlement: Sendable, Hashable {
        case acknowledgement(SettlementLedger.Acknowledgement)
        case rejection(UInt64, requeue: Bool)
    }

    /// Due to be written.
    package struct Outgoing: Sendable, Hashable {
        /// Place of the queue in the consumer's list.
        package let queue: Int
        package let settlement: Settlement
    }

    /// As tags name the queues, by their place.
    private var indices: [UInt16]
    private var epoch: UInt32 = 0
    private var ledgers: [SettlementLedger] = []
    /// What the numbers of each queue's channel begin behind, as tags have them.
    private var bases: [UInt64]
    /// The highest number that came over it.
    private var highest: [UInt64]
    private(set) package var outgoing: [Outgoing] = []

    package init(indices: [UInt16]) {
        self.indices = indices
        bases = indices.map { _ in 0 }
        highest = bases
    }

    /// One more queue, behind the others.
    package mutating func add(_ index: UInt16) {
        indices.append(index)
        bases.append(0)
        highest.append(0)
        if !ledgers.isEmpty { ledgers.append(SettlementLedger()) }
    }

    package mutating func connected() {
        epoch += 1
        ledgers = indices.map { _ in SettlementLedger() }
        bases = indices.map { _ in 0 }
        highest = bases
    }

    /// That of one queue alone: a later one over the same connection counts from 1, too.
    package mutating func channelClosed(_ queue: Int) {
        // Wraps for a broker only that numbers its deliveries as none does.
        bases[queue] &+= highest[queue]
        highest[queue] = 0
        if !ledgers.isEmpty { ledgers[queue] = SettlementLedger() }
        outgoing.removeAll { $0.queue == queue }
    }

    package mutating func disconnected() {
        outgoing = []
        ledgers = []
    }

    /// For each delivery that comes.
    package mutating func tag(queue: Int, number: UInt64) -> AMQPDeliveryTag {
        highest[queue] = max(highest[queue], number)
        return AMQPDeliveryTag(epoch: epoch, queueIndex: indices[queue], number: bases[queue] &+ number)
    }

    /// - Returns: false if it was settled before.
    package mutating func acknowledge(_ acknowledgement: AMQPAcknowledgement) -> Bool {
        let tag = acknowledgement.tag
        guard let queue = queue(of: tag) else { return true }
        return ledgers[queue].acknowledge(tag.number - bases[queue], multiple: acknowledgement.multiple)
    }

    /// - Returns: false if it was settled before.
    package mutating func reject(_ tag: AMQPDeliveryTag, requeue: Bool) -> Bool {
        guard let queue = queue(of: tag) else { return true }
        let number = tag.number - bases[queue]
        guard ledgers[queue].settle(number) else { return false }
        outgoing.append(Outgoing(queue: queue, settlement: .rejection(number, requeue: requeue)))
        return true
    }

    /// After a batch of the above. Last, so that no multiple overtakes a rejection of one that it covers.
    package mutating func gatherAcknowledgements() {
        for queue in ledgers.indices {
            outgoing += ledgers[queue].takeBatch().map { Outgoing(queue: queue, settlement: .acknowledgement($0)) }
        }
    }

    package mutating func written(_ count: Int) { outgoing.removeFirst(count) }

    /// nil when the tag is of another connection, or channel.
    private func queue(of tag: AMQPDeliveryTag) -> Int? {
        guard tag.epoch == epoch, let queue = indices.firstIndex(of: tag.queueIndex) else { return nil }
        return ledgers.indices.contains(queue) && tag.number > bases[queue] ? queue : nil
    }
}
