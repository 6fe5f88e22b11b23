import AMQPClient
import PushModel
import Store

/// What a message keeps over all of its deliveries: its queue, its body, its publisher and the properties and headers that mean
/// something to a worker. The broker's counters and its `redelivered` flag are not part of it. Two messages that no worker could
/// tell apart have the same identity.
struct MessageIdentity: Sendable, Hashable {
    private let queue: UInt16
    private let body: JobContent
    private let envelope: Int

    init(_ delivery: AMQPDelivery) {
        queue = delivery.tag.queueIndex
        body = JobContent(delivery.body)
        var hasher = Hasher()
        hasher.combine(delivery.routingKey)
        hasher.combine(delivery.properties.userID)
        // In an order of its own: the broker may sort the headers of what it delivers again.
        hasher.combine(delivery.properties.carried)
        envelope = hasher.finalize()
    }
}
