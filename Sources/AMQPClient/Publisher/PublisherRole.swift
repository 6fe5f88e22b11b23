import Foundations
import Logging

/// The part of ``AMQPPublisher`` that runs on the connection's thread.
final class PublisherRole: ConnectionRole {
    enum Command: Sendable {
        case publish([AMQPPublication], AwaitedBatch?)
        case checkTopology
    }

    /// A publication in the queue. It is a class, so that moving it between queue and wire is cheap.
    private final class Item {
        let publication: AMQPPublication
        let batch: AwaitedBatch?
        /// Whether the message failed because its exchange or queue was missing, and is published a second time.
        var isSecondTry: Bool

        init(_ publication: AMQPPublication, _ batch: AwaitedBatch?, isSecondTry: Bool = false) {
            self.publication = publication
            self.batch = batch
            self.isSecondTry = isSecondTry
        }

        /// Returns whether the broker returned the message because no queue takes it, and the publication asks only for
        /// a report of this.
        func isUnroutable(_ reply: AMQPError.Reply) -> Bool {
            publication.reportsUnroutable && reply.code == AMQPReturn.noRoute
        }

        var repeated: Item { Item(publication.repeated, batch, isSecondTry: isSecondTry) }
    }

    private static let channel = BrokerLink.firstWorkChannel
    /// The number of messages or bytes after which the thread stops writing and checks for confirms and commands.
    private static let largestChunk = (messages: 256, bytes: 262_144)

    private let owner = OwningThread()
    private let topology: AMQPTopology
    private let counter: PublicationCounter
    private let introduction: BrokerIntroduction
    private let logger: Logger
    private let onEvent: @Sendable (AMQPPublisherEvent) -> Void
    /// A callback for the first connection, or `nil` after its call. It is called once, with `nil` if the publisher has
    /// connected, or with the error.
    private var onFirst: (@Sendable (AMQPError?) -> Void)?

    private var queue: PublishingQueue<Item>
    private var isClosing = false
    private var mustCheck = false
    /// Whether the topology must be checked because something in it was missing. If this publisher declares the
    /// topology, it also declares it again.
    private var mustRepair = false
    private var repairBackoff = RepairBackoff()
    private var hasDeclared = false
    private var vanished: VanishedObjects
    private var verdicts = PendingVerdicts()
    private var settledCount = 0

    init(
        topology: AMQPTopology, unconfirmedLimit: Int, counter: PublicationCounter, introduction: BrokerIntroduction,
        logger: Logger,
        onEvent: @escaping @Sendable (AMQPPublisherEvent) -> Void, onFirst: @escaping @Sendable (AMQPError?) -> Void
    ) {
        self.topology = topology
        self.counter = counter
        self.introduction = introduction
        self.logger = logger
        self.onEvent = onEvent
        self.onFirst = onFirst
        vanished = VanishedObjects(topology)
        queue = PublishingQueue(limits: .init(messages: unconfirmedLimit)) { $0.repeated }
    }

    func perform(_ commands: [Command]) {
        owner.preconditionIsCurrent()
        for command in commands {
            switch command {
            case .publish(let publications, let batch): queue.append(publications.lazy.map { Item($0, batch) })
            case .checkTopology: mustCheck = true
            }
        }
    }

    // MARK: Connection

    func opened(_ link: BrokerLink) throws(AMQPError) {
        (mustCheck, mustRepair) = (false, false)
        if hasDeclared { _ = try reportMissing(link) }
        try link.declare(topology)
        hasDeclared = true
        repairBackoff.succeeded()
        try link.openConfirmingChannel(Self.channel)
        introduction.product = link.product
        onFirst?(nil)
        onFirst = nil
        onEvent(.connected)
    }

    func disconnected(_ error: AMQPError) {
        inputDrained()
        queue.connectionLost()
        onEvent(.disconnected(error))
    }

    func closeRequested() { isClosing = true }
    var wantsInput: Bool { true }
    func mustReadOn() {}
    var isFinished: Bool { queue.count == 0 }
    var staysUntil: ContinuousClock.Instant? { nil }
    var isConnectionWanted: Bool { !isClosing || queue.count > 0 }

    /// Ignores the error, because the publisher counts only confirmed messages as accepted.
    func left(_ error: AMQPError?) {}

    func ended(_ error: AMQPError?) {
        inputDrained()
        let failure = error ?? AMQPError(.closed, "the publisher was closed before the broker answered")
        onFirst?(failure)
        onFirst = nil
        var unconfirmed: [UInt64] = []
        for item in queue.takeAll() {
            if let batch = item.batch { batch.fail(failure) } else { unconfirmed.append(item.publication.id) }
        }
        onEvent(.closed(unconfirmed: unconfirmed, error))
    }

    // MARK: Writing

    func write(to link: BrokerLink) throws(AMQPError) -> Bool {
        if mustRepair || mustCheck, !queue.isBlocked { try checkTopology(link) }
        guard queue.canWrite else { return false }
        guard link.isWritable else { return true }
        try link.gatheringWrites { () throws(AMQPError) in
            var bytes = 0
            var messages = 0
            while messages < Self.largestChunk.messages, bytes < Self.largestChunk.bytes {
                while let problem = takeImpossible(link) { returned(problem.item, .init(code: 0, text: problem.text)) }
                guard let item = queue.next() else { return }
                try link.publish(item.publication, channel: Self.channel)
                messages += 1
                bytes += item.publication.body.count
            }
        }
        return queue.canWrite
    }

    /// Checks whether exchanges or queues have been deleted since they were declared. If this publisher declares the
    /// topology, and something was deleted or a message was returned, it declares all of it again, with its bindings.
    private func checkTopology(_ link: BrokerLink) throws(AMQPError) {
        let isRepair = mustRepair
        (mustRepair, mustCheck) = (false, false)
        let isIncomplete = try reportMissing(link)
        guard topology.provision == .declared else {
            if isRepair {
                repairBackoff.failed(at: .now, random: .random(in: 0...1))
            } else if !isIncomplete {
                repairBackoff.succeeded()
            }
            return
        }
        guard isRepair || isIncomplete else { return }
        do throws(AMQPError) {
            try link.declare(topology)
            repairBackoff.succeeded()
        } catch {
            guard error.isAboutObject else { throw error }
            repairBackoff.failed(at: .now, random: .random(in: 0...1))
            try link.confirmChannelClosed(BrokerLink.declaringChannel)
            logger.error(
                .declarationRefused, "The broker refuses to declare a deleted queue or exchange again",
                metadata: ["error": "\(error)"])
        }
    }

    /// Returns whether an exchange or queue of the topology is missing, and logs the missing ones.
    private func reportMissing(_ link: BrokerLink) throws(AMQPError) -> Bool {
        let missing = vanished.checked(try BrokerInspector(link: link).missing(of: topology))
        vanished.report(missing, to: logger, now: .now)
        return !missing.isEmpty
    }

    /// Requests a check of the topology if the exchange or queue of a message is missing. If this publisher declares
    /// the topology, the message is published a second time after the declaration.
    ///
    /// - Returns: whether the message is published again. If it is not, for example during the back-off after a refused
    ///   declaration, the caller must report its return.
    private func tryAgain(_ item: Item, _ reply: AMQPError.Reply) -> Bool {
        guard [312, 404].contains(reply.code), !item.isUnroutable(reply), !item.isSecondTry,
            vanished.hasExchange(item.publication.exchange),
            repairBackoff.allowsAttempt(at: .now)
        else { return false }
        mustRepair = true
        if reply.code == 404 { vanished.missed(item.publication.exchange) }
        guard topology.provision == .declared else { return false }
        item.isSecondTry = true
        queue.append(CollectionOfOne(item))
        return true
    }

    private func takeImpossible(_ link: BrokerLink) -> (item: Item, text: String)? {
        var text = ""
        let item = queue.removeNext { item in
            guard let problem = link.problem(with: item.publication) else { return false }
            text = problem
            return true
        }
        return item.map { ($0, text) }
    }

    // MARK: Confirms and returns

    func received(_ inbound: Inbound, _ link: BrokerLink) throws(AMQPError) {
        switch inbound {
        case .acknowledged(let number, let multiple):
            let now = ContinuousClock.now
            try settled(number, multiple: multiple) { item in
                vanished.confirmed(item.publication, at: now)
                if let batch = item.batch { batch.settled(nil) } else { verdicts.confirm(item.publication) }
            }
        case .refused(let number, let multiple):
            try settled(number, multiple: multiple) { item in
                guard let batch = item.batch else { return verdicts.refuse(item.publication) }
                batch.settled(AMQPError(.publicationRefused, "the broker refused a message (basic.nack)"))
            }
        case .returned(let reply, let message):
            let item = queue.returned {
                $0.publication.comesBack && $0.publication.routingKey == message.routingKey
                    && $0.publication.exchange == message.exchange
                    && $0.publication.properties.messageID == message.properties.messageID
                    && $0.publication.body == message.body
            }
            if let item {
                if !tryAgain(item, reply) { returned(item, reply) }
            } else {
                logger.warning(
                    .unknownReturn, "The broker returned an unknown message", metadata: ["reply": "\(reply)"])
            }
        case .channelClosed(let channel, let reply, let causedByPublish):
            guard causedByPublish, channel == Self.channel else {
                throw AMQPError(closedBy: reply, isConnection: false, while: "the broker closed the publishing channel")
            }
            try channelClosedByPublication(reply, link)
        case .blocked(let reason):
            queue.isBlocked = true
            logger.warning(.brokerBlocks, "The broker blocks publishing", metadata: ["reason": "\(reason)"])
            inputDrained()
            onEvent(.blocked(reason: reason))
        case .unblocked:
            queue.isBlocked = false
            logger.notice(.brokerUnblocks, "The broker accepts messages again")
            inputDrained()
            onEvent(.unblocked)
        default:
            break
        }
    }

    private func settled(_ number: UInt64, multiple: Bool, _ body: (Item) -> Void) throws(AMQPError) {
        do {
            try queue.settled(number, multiple: multiple) {
                settledCount += 1
                body($0)
            }
        } catch {
            throw AMQPError(.protocolViolation, "the broker confirmed message \(number), which needs no confirm")
        }
    }

    private func channelClosedByPublication(_ reply: AMQPError.Reply, _ link: BrokerLink) throws(AMQPError) {
        // A missing or forbidden exchange affects all messages for it. Other refusals concern one message.
        let refused = queue.channelClosedByPublication {
            [403, 404].contains(reply.code) && $0.publication.exchange == $1.publication.exchange
        }
        for item in refused where !tryAgain(item, reply) { returned(item, reply) }
        try link.confirmChannelClosed(Self.channel)
        try link.openConfirmingChannel(Self.channel)
    }

    private func returned(_ item: Item, _ reply: AMQPError.Reply) {
        settledCount += 1
        if item.isUnroutable(reply), item.batch == nil {
            onEvent(.unroutable(item.publication.id))
            verdicts.confirm(item.publication)
        } else if let batch = item.batch {
            let target = "exchange \"\(item.publication.exchange)\", routing key \"\(item.publication.routingKey)\""
            batch.settled(AMQPError(.publicationRefused, "publishing to \(target)", reply: reply))
        } else {
            inputDrained()
            if item.publication.isRepeated { onEvent(.mayBeTaken([item.publication.id])) }
            onEvent(.returned(AMQPReturn(id: item.publication.id, code: reply.code, text: reply.text)))
        }
    }

    func inputDrained() {
        if settledCount > 0 {
            counter.subtract(settledCount)
            settledCount = 0
        }
        verdicts.report(to: onEvent)
    }
}
