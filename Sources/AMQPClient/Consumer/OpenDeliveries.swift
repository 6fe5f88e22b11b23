/// A tracker of one consumer's unsettled deliveries, across its queues and connections. It assigns delivery tags and
/// turns acknowledgements and rejections into the settlements to write. A value type without clock or I/O.
///
/// A tag is valid only for the connection of its delivery. After that connection is lost, the broker redelivers the
/// message, so settlements with older tags are ignored. A later connection counts deliveries from 1 again, so an old
/// number would settle another message.
package struct OpenDeliveries: Sendable {
    package enum Settlement: Sendable, Hashable {
        case acknowledgement(SettlementBatcher.Acknowledgement)
        case rejection(UInt64, requeue: Bool)
    }

    /// A settlement that has not been written to the connection yet.
    package struct Outgoing: Sendable, Hashable {
        /// The position of the queue in the consumer's list.
        package let queue: Int
        package let settlement: Settlement
    }

    /// The number of each queue in delivery tags (``AMQPConsumedQueue/tagIndex``), by the queue's position.
    private let indices: [UInt16]
    private var epoch: UInt32 = 0
    private var ledgers: [SettlementBatcher] = []
    private(set) package var outgoing: [Outgoing] = []

    package init(indices: [UInt16]) {
        self.indices = indices
    }

    package mutating func connected() {
        epoch += 1
        ledgers = indices.map { _ in SettlementBatcher() }
    }

    package mutating func disconnected() {
        outgoing = []
        ledgers = []
    }

    /// Returns the tag of a new delivery.
    package func tag(queue: Int, number: UInt64) -> AMQPDeliveryTag {
        AMQPDeliveryTag(epoch: epoch, queueIndex: indices[queue], number: number)
    }

    /// Acknowledges a delivery. If the acknowledgement has the `multiple` flag, all earlier deliveries of the queue are
    /// also acknowledged.
    ///
    /// - Returns: `false` if the delivery was already settled. A tag of an earlier connection is ignored, and the
    ///   result is `true`.
    package mutating func acknowledge(_ acknowledgement: AMQPAcknowledgement) -> Bool {
        let tag = acknowledgement.tag
        guard let queue = queue(of: tag) else { return true }
        return ledgers[queue].acknowledge(tag.number, multiple: acknowledgement.multiple)
    }

    /// Rejects a delivery.
    ///
    /// - Returns: `false` if the delivery was already settled. A tag of an earlier connection is ignored, and the
    ///   result is `true`.
    package mutating func reject(_ tag: AMQPDeliveryTag, requeue: Bool) -> Bool {
        guard let queue = queue(of: tag) else { return true }
        guard ledgers[queue].settle(tag.number) else { return false }
        outgoing.append(Outgoing(queue: queue, settlement: .rejection(tag.number, requeue: requeue)))
        return true
    }

    /// Adds the acknowledgements of a batch to the settlements to write. Call this after the batch's rejections were
    /// added, so that an acknowledgement with the `multiple` flag never precedes the rejection of a delivery that it
    /// covers.
    package mutating func gatherAcknowledgements() {
        for queue in ledgers.indices {
            outgoing += ledgers[queue].takeBatch().map { Outgoing(queue: queue, settlement: .acknowledgement($0)) }
        }
    }

    package mutating func written(_ count: Int) { outgoing.removeFirst(count) }

    /// Returns the position of a tag's queue, or `nil` if the tag belongs to another connection.
    private func queue(of tag: AMQPDeliveryTag) -> Int? {
        guard tag.epoch == epoch, let queue = indices.firstIndex(of: tag.queueIndex) else { return nil }
        return ledgers.indices.contains(queue) ? queue : nil
    }
}
