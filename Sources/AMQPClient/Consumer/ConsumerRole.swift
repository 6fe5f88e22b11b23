import Foundations
import Logging

/// The part of ``AMQPConsumer`` that runs on the connection's thread.
final class ConsumerRole: ConnectionRole {
    enum Command: Sendable {
        case acknowledge([AMQPAcknowledgement])
        case reject([AMQPDeliveryTag], requeue: Bool)
        case setPrefetch(UInt16, tagIndex: UInt16)
        case setPriority(Int32, tagIndices: Set<UInt16>)
        case stop
    }

    private enum Consuming {
        case active, stopRequested, cancelling(consumersLeft: Int), stopped
    }

    private let owner = OwningThread()
    private let topology: AMQPTopology
    private let budget: AMQPByteBudget?
    private let logger: Logger
    private let onEvent: @Sendable (AMQPConsumerEvent) -> Void
    /// A callback for the first connection, or `nil` after its call. It is called once, with `nil` if the consumer has
    /// connected, or with the error.
    private var onFirst: (@Sendable (AMQPError?) -> Void)?

    private var consuming = Consuming.active
    private var isClosing = false
    private var (isOpen, hasDeclared) = (false, false)
    /// The reason why the broker may not have received the last acknowledgements, or `nil` if it has received all of
    /// them.
    private var farewell: AMQPError?
    private var open: OpenDeliveries
    /// The consumed queues. The position of a queue determines its channel.
    private var queues: [ConsumedQueue]
    private var hasNewWishes = false
    private var batch: [AMQPDelivery] = []
    /// The number of bytes that may still be read after the budget is used up. RabbitMQ closes a connection that
    /// accepts nothing for 30 seconds.
    private var bytesBeyond = 0
    private static let mostBeyondAtOnce = 1_048_576
    private var lastSettled: ContinuousClock.Instant?
    /// The time to wait after the last settlement before the connection is closed. For a busy quorum queue, RabbitMQ
    /// keeps further settlements in the channel while 32 are pending (`quorum_commands_soft_limit`). If the channel
    /// closes, these settlements are lost and the broker redelivers messages that are already processed.
    private static let settling = Duration.seconds(1)
    private static let acquisitions = "x-acquired-count"

    init(
        topology: AMQPTopology, queues: [AMQPConsumedQueue], budget: AMQPByteBudget?, logger: Logger,
        onEvent: @escaping @Sendable (AMQPConsumerEvent) -> Void, onFirst: @escaping @Sendable (AMQPError?) -> Void
    ) {
        self.topology = topology
        self.queues = queues.map { ConsumedQueue($0) }
        self.budget = budget
        open = OpenDeliveries(indices: queues.enumerated().map { $1.tagIndex ?? UInt16($0) })
        self.logger = logger
        self.onEvent = onEvent
        self.onFirst = onFirst
    }

    // MARK: Connection

    func opened(_ link: BrokerLink) throws(AMQPError) {
        if hasDeclared {
            let missing = try BrokerInspector(link: link).missing(of: topology)
            VanishedObjects(topology).report(missing, to: logger, now: .now)
        }
        let realNames = try link.declare(topology)
        hasDeclared = true
        open.connected()
        (isOpen, farewell) = (true, nil)
        for place in queues.indices {
            let consumer = queues[place].connected(realNames)
            try link.consume(
                queues[place].queue, realName: queues[place].realName, as: consumer, channel: channel(place))
        }
        hasNewWishes = true
        onFirst?(nil)
        onFirst = nil
        onEvent(.connected(queues: queues.map(\.realName)))
    }

    func disconnected(_ error: AMQPError) {
        // The broker redelivers these messages, so processing them now would do the work twice.
        dropBatch()
        open.disconnected()
        (bytesBeyond, lastSettled) = (0, nil)
        if isOpen { (isOpen, farewell) = (false, error) }
        onEvent(.disconnected(error))
        if case .active = consuming { return }
        reportStopped()
    }

    func closeRequested() { isClosing = true }
    var isFinished: Bool { open.outgoing.isEmpty }
    var staysUntil: ContinuousClock.Instant? { lastSettled.map { $0 + Self.settling } }
    var wantsInput: Bool { budget?.isUsedUp != true || bytesBeyond > 0 }
    func mustReadOn() { bytesBeyond = Self.mostBeyondAtOnce }

    var isConnectionWanted: Bool {
        guard case .active = consuming else { return false }
        return !isClosing
    }

    func left(_ error: AMQPError?) {
        let unsaid = AMQPError(.connectionLost, "the connection closed before the broker received all acknowledgements")
        farewell = error ?? (isFinished ? nil : unsaid)
    }

    func ended(_ error: AMQPError?) {
        dropBatch()
        if case .active = consuming {} else { reportStopped() }
        onFirst?(error ?? AMQPError(.closed, "the consumer was closed before it connected"))
        onFirst = nil
        onEvent(.closed(error ?? farewell))
    }

    private func cancelled() {
        guard case .cancelling(let left) = consuming else { return }
        consuming = .cancelling(consumersLeft: left - 1)
        if left == 1 { reportStopped() }
    }

    private func dropBatch() {
        if let budget { for delivery in batch { budget.release(delivery) } }
        batch = []
    }

    private func channel(_ queueIndex: Int) -> UInt16 { BrokerLink.firstWorkChannel + UInt16(queueIndex) }

    // MARK: Deliveries

    func received(_ inbound: Inbound, _ link: BrokerLink) throws(AMQPError) {
        switch inbound {
        case .delivery(let channel, let number, let isRedelivered, let message):
            guard channel >= BrokerLink.firstWorkChannel else {
                throw AMQPError(.protocolViolation, "the broker delivered a message on channel \(channel)")
            }
            // A broker that does not write this header leaves the publisher's value in it.
            let isForged = !link.countsAcquisitions && message.properties.headers[Self.acquisitions] != nil
            let delivery = AMQPDelivery(
                tag: open.tag(queue: Int(channel - BrokerLink.firstWorkChannel), number: number),
                isRedelivered: isRedelivered, exchange: message.exchange, routingKey: message.routingKey,
                properties: isForged ? message.properties.without(Self.acquisitions) : message.properties,
                body: message.body, problem: message.problem)
            budget?.take(delivery)
            bytesBeyond = max(0, bytesBeyond - delivery.size)
            batch.append(delivery)
            if batch.count >= AMQPConsumer.largestBatch { inputDrained() }
        case .cancelled:
            cancelled()
        case .cancelledByBroker(let channel):
            let index = Int(channel) - Int(BrokerLink.firstWorkChannel)
            let name = queues.indices.contains(index) ? queues[index].queue.name : "?"
            // The error makes the loop reconnect, so that the broker requeues all unacknowledged deliveries. On
            // RabbitMQ 4.3, this consumer would otherwise receive nothing until every late delivery is settled.
            let cause = "the queue was deleted, or a delivery was not acknowledged in time"
            throw AMQPError(.consumerCancelled, "The broker cancelled the consumer of queue \"\(name)\": \(cause)")
        case .channelClosed(_, let reply, _):
            throw AMQPError(closedBy: reply, isConnection: false, while: "The broker closed a consumer's channel")
        default:
            break
        }
    }

    func inputDrained() {
        guard !batch.isEmpty else { return }
        let deliveries = batch
        batch = []
        batch.reserveCapacity(min(deliveries.count, AMQPConsumer.largestBatch))
        onEvent(.deliveries(deliveries))
    }

    private func reportStopped() {
        if case .stopped = consuming { return }
        inputDrained()
        consuming = .stopped
        onEvent(.stopped)
    }

    // MARK: Settling

    func perform(_ commands: [Command]) {
        owner.preconditionIsCurrent()
        for command in commands {
            switch command {
            case .acknowledge(let acknowledgements):
                for acknowledgement in acknowledgements where !open.acknowledge(acknowledgement) {
                    reportRepeated(acknowledgement.tag)
                }
            case .reject(let tags, let requeue):
                for tag in tags where !open.reject(tag, requeue: requeue) { reportRepeated(tag) }
            case .setPrefetch(let prefetch, let tagIndex):
                if let queue = queues.indices.first(where: { tagIndex == queues[$0].queue.tagIndex ?? UInt16($0) }) {
                    (queues[queue].wish, hasNewWishes) = (prefetch, true)
                }
            case .setPriority(let priority, let tagIndices):
                for index in queues.indices where tagIndices.contains(queues[index].queue.tagIndex ?? UInt16(index)) {
                    queues[index].priority = priority
                }
                hasNewWishes = true
            case .stop:
                if case .active = consuming { consuming = .stopRequested }
            }
        }
        open.gatherAcknowledgements()
    }

    private func reportRepeated(_ tag: AMQPDeliveryTag) {
        logger.warning(
            .repeatedAcknowledgement, "Ignored a repeated acknowledgement", metadata: ["delivery": "\(tag.number)"])
    }

    func write(to link: BrokerLink) throws(AMQPError) -> Bool {
        try writeConsumers(to: link)
        guard !open.outgoing.isEmpty else { return false }
        guard link.isWritable else { return true }
        let chunk = open.outgoing.prefix(1024)
        if chunk.count == 1 {
            for due in chunk { try write(due.settlement, channel(due.queue), link) }
        } else {
            try link.gatheringWrites { () throws(AMQPError) in
                for due in chunk { try write(due.settlement, channel(due.queue), link) }
            }
        }
        open.written(chunk.count)
        lastSettled = .now
        return !open.outgoing.isEmpty
    }

    private func writeConsumers(to link: BrokerLink) throws(AMQPError) {
        switch consuming {
        case .active where hasNewWishes:
            for index in queues.indices {
                for change in queues[index].changes() {
                    switch change {
                    case .consume(let consumer):
                        try link.requestConsume(
                            queues[index].queue, realName: queues[index].realName, as: consumer, channel: channel(index)
                        )
                    case .cancel(let consumer):
                        try link.requestCancel(consumer, channel: channel(index), isAnswered: false)
                    }
                }
            }
            hasNewWishes = false
        case .stopRequested:
            consuming = .cancelling(consumersLeft: queues.reduce(0) { $0 + $1.consumers.count })
            for (index, queue) in queues.enumerated() {
                for consumer in queue.consumers {
                    try link.requestCancel(consumer, channel: channel(index), isAnswered: true)
                }
            }
        default: break
        }
    }

    private func write(_ settlement: OpenDeliveries.Settlement, _ channel: UInt16, _ link: BrokerLink) throws(AMQPError)
    {
        switch settlement {
        case .acknowledgement(let acknowledgement):
            try link.acknowledge(acknowledgement.number, multiple: acknowledgement.multiple, channel: channel)
        case .rejection(let number, let requeue):
            try link.reject(number, requeue: requeue, channel: channel)
        }
    }
}
