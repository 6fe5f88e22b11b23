import EventNames
import Logging
import Threading

/// The thread's side of ``AMQPConsumer``.
final class ConsumerRole: ConnectionRole {
    enum Command: Sendable {
        case acknowledge([AMQPAcknowledgement])
        case reject([AMQPDeliveryTag], requeue: Bool)
        case setPrefetch(UInt16, tagIndex: UInt16)
        case stop
    }

    private enum Consuming {
        case active, stopRequested, cancelling(consumersLeft: Int), stopped
    }

    private let owner = OwningThread()
    private let topology: AMQPTopology
    private let queues: [AMQPConsumedQueue]
    private let budget: AMQPByteBudget?
    private let logger: Logger
    private let onEvent: @Sendable (AMQPConsumerEvent) -> Void
    /// Called once: with the first connection, or the failure to make it.
    private var onFirst: (@Sendable (AMQPError?) -> Void)?

    private var consuming = Consuming.active
    private var isClosing = false
    private var open: OpenDeliveries
    /// As `queues`; their real names, and their consumers.
    private var realNames: [String] = []
    private var prefetches: [ConsumerPrefetch] = []
    /// As `queues`, too: what was asked for last, over whatever connection. The caller need not know which one there
    /// is.
    private var wishes: [UInt16]
    private var hasNewWishes = false
    private var batch: [AMQPDelivery] = []
    /// Bytes to be read although the budget is used up: enough for the broker's socket to move.
    private var bytesBeyond = 0
    private static let mostBeyondAtOnce = 1_048_576
    private static let acquisitions = "x-acquired-count"

    init(
        topology: AMQPTopology, queues: [AMQPConsumedQueue], budget: AMQPByteBudget?, logger: Logger,
        onEvent: @escaping @Sendable (AMQPConsumerEvent) -> Void, onFirst: @escaping @Sendable (AMQPError?) -> Void
    ) {
        self.topology = topology
        self.queues = queues
        wishes = queues.map(\.prefetch)
        self.budget = budget
        open = OpenDeliveries(indices: queues.enumerated().map { $1.tagIndex ?? UInt16($0) })
        self.logger = logger
        self.onEvent = onEvent
        self.onFirst = onFirst
    }

    // MARK: Connection

    func opened(_ link: BrokerLink) throws(AMQPError) {
        let declared = try link.declare(topology)
        realNames = queues.map { declared[$0.name] ?? $0.name }
        open.connected()
        prefetches = queues.map { ConsumerPrefetch($0.prefetch) }
        for (index, queue) in queues.enumerated() {
            try link.consume(
                queue, realName: realNames[index], as: prefetches[index].consumers[0], channel: channel(index))
        }
        hasNewWishes = true
        onFirst?(nil)
        onFirst = nil
        onEvent(.connected(queues: realNames))
    }

    func disconnected(_ error: AMQPError) {
        // The broker delivers these again, so working on them would be work done twice.
        dropBatch()
        open.disconnected()
        bytesBeyond = 0
        onEvent(.disconnected(error))
        if case .active = consuming { return }
        reportStopped()
    }

    func closeRequested() { isClosing = true }
    var isFinished: Bool { open.outgoing.isEmpty }
    var wantsInput: Bool { budget?.isUsedUp != true || bytesBeyond > 0 }
    func mustReadOn() { bytesBeyond = Self.mostBeyondAtOnce }

    var isConnectionWanted: Bool {
        guard case .active = consuming else { return false }
        return !isClosing
    }

    func ended(_ error: AMQPError?) {
        dropBatch()
        if case .active = consuming {} else { reportStopped() }
        onFirst?(error ?? AMQPError(.closed, "Closed before it could connect"))
        onFirst = nil
        onEvent(.closed(error))
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
                throw AMQPError(.protocolViolation, "The broker delivered a message on channel \(channel)")
            }
            // Of a broker that does not write it, it is the publisher's.
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
            guard case .cancelling(let left) = consuming else { return }
            consuming = .cancelling(consumersLeft: left - 1)
            if left == 1 { reportStopped() }
        case .cancelledByBroker(let channel):
            let index = Int(channel) - Int(BrokerLink.firstWorkChannel)
            let name = queues.indices.contains(index) ? queues[index].name : "?"
            throw AMQPError(.consumerCancelled, "The broker cancelled the consumer of queue \"\(name)\"")
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
                if let queue = queues.indices.first(where: { tagIndex == queues[$0].tagIndex ?? UInt16($0) }) {
                    (wishes[queue], hasNewWishes) = (prefetch, true)
                }
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
        return !open.outgoing.isEmpty
    }

    private func writeConsumers(to link: BrokerLink) throws(AMQPError) {
        switch consuming {
        case .active where hasNewWishes:
            for (index, prefetch) in wishes.enumerated() {
                for change in prefetches[index].change(to: prefetch) {
                    switch change {
                    case .consume(let consumer):
                        try link.requestConsume(
                            queues[index], realName: realNames[index], as: consumer, channel: channel(index))
                    case .cancel(let consumer):
                        try link.requestCancel(consumer, channel: channel(index), isAnswered: false)
                    }
                }
            }
            hasNewWishes = false
        case .stopRequested:
            consuming = .cancelling(consumersLeft: prefetches.reduce(0) { $0 + $1.consumers.count })
            for (index, prefetch) in prefetches.enumerated() {
                for consumer in prefetch.consumers {
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
