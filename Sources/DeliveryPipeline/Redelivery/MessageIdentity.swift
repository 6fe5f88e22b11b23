import AMQPClient
import Contract
import PushModel
import Store

/// The parts of a message that are equal in all of its deliveries: its queue, routing key, body and publisher, and the
/// properties and headers that a worker reads. The broker's counters, `redelivered` flag and dead-letter headers are
/// excluded. Two messages that no worker can distinguish have the same identity.
struct MessageIdentity: Sendable, Hashable {
    private let queue: UInt16
    private let body: JobContent
    private let envelope: Int

    /// Creates the identity of a message.
    ///
    /// - Parameter queue: the tag index of the queue from which the broker dropped the message, or `nil` if it was not
    ///   dropped.
    init(_ delivery: AMQPDelivery, droppedFrom queue: UInt16? = nil) {
        self.queue = queue ?? delivery.tag.queueIndex
        body = JobContent(delivery.body)
        var hasher = Hasher()
        hasher.combine(delivery.routingKey)
        hasher.combine(delivery.properties.userID)
        // These properties list the headers in a fixed order, because the broker may reorder them when it redelivers a
        // message.
        hasher.combine(delivery.properties.carried)
        envelope = hasher.finalize()
    }
}
