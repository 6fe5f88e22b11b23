import AMQPClient

/// A consumer of one queue, on a connection of a simulated worker. The connection delays deliveries and combines them
/// into batches.
final class ModelConsumer: CustomStringConvertible {
    let queue: ModelQueue
    private let tagIndex: UInt16
    private let connection: ConsumingConnection
    var prefetch: Int
    private(set) var priority: Int32
    /// The approximate number of unsettled messages that do not count towards the prefetch, because the worker has
    /// replaced the consumer that received them. They are assumed to be settled last.
    private var exempt = 0
    private var nextNumber: UInt64 = 1
    /// The unsettled messages, by the number of their delivery.
    private var unsettled: [UInt64: ModelMessage] = [:]

    init(_ queue: ModelQueue, tagIndex: UInt16, prefetch: Int, priority: Int32, _ connection: ConsumingConnection) {
        self.priority = priority
        self.queue = queue
        self.tagIndex = tagIndex
        self.prefetch = prefetch
        self.connection = connection
    }

    var description: String { "\(connection.worker) on \(queue.name)" }

    var hasRoom: Bool { unsettled.count - exempt < prefetch }

    /// Replaces the consumer with one of another priority.
    func replace(priority: Int32) { (self.priority, exempt) = (priority, unsettled.count) }

    func take(_ message: ModelMessage) {
        let number = nextNumber
        nextNumber += 1
        unsettled[number] = message
        connection.note("\(self) gets \(number), \(message.returns) returns: \(message.summary)")
        connection.carry(
            message.delivery(AMQPDeliveryTag(epoch: connection.epoch, queueIndex: tagIndex, number: number)))
    }

    /// Removes a message, because the worker has acknowledged or rejected it.
    ///
    /// - Returns: The message, or `nil` if the number is unknown.
    func settle(_ number: UInt64) -> ModelMessage? {
        defer { exempt = min(exempt, unsettled.count) }
        return unsettled.removeValue(forKey: number)
    }

    /// Ends the consumer.
    ///
    /// - Returns: The unsettled messages, in the order of their deliveries.
    func end() -> [ModelMessage] {
        queue.remove(self)
        defer { unsettled = [:] }
        return unsettled.sorted { $0.key < $1.key }.map(\.value)
    }
}
