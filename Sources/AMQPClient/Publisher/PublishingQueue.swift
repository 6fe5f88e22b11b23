import DequeModule

/// A queue of one publisher's publications, both waiting and on the wire. It decides which publication may be written
/// next. A value type without clock or I/O.
///
/// The broker may close the channel because of a publication (missing exchange, no permission, refused property), but
/// does not report which one. All publications on the wire are then in doubt and are written again one at a time. If
/// the broker closes the channel again while only one publication is on the wire, that publication is the cause, and
/// the broker's reason is reported for it. Each such search settles at least one publication, so no publication is
/// retried forever.
package struct PublishingQueue<Message> {
    package struct Limits: Sendable {
        /// The maximum number of unconfirmed messages on the wire.
        let messages: Int

        package init(messages: Int) {
            self.messages = max(1, messages)
        }
    }

    private let limits: Limits
    /// A function that returns the copy to write again for a message that was on the wire.
    private let repeated: (Message) -> Message
    private var waiting = Deque<Message>()
    private var onWire = ConfirmTracker<Message>()
    /// The number of publications in doubt. They precede all other publications in ``waiting`` and on the wire.
    private var inDoubt = 0
    /// Whether the broker has asked for a pause (`connection.blocked`).
    package var isBlocked = false

    /// Creates a queue.
    ///
    /// - Parameter repeated: a function that returns the copy to write again for a message that was on the wire. The
    ///   copy can indicate that the broker may have accepted the message before.
    package init(limits: Limits, repeated: @escaping (Message) -> Message = { $0 }) {
        self.limits = limits
        self.repeated = repeated
    }

    /// The number of messages without a confirm, refusal or return.
    package var count: Int { waiting.count + onWire.openCount }

    package var canWrite: Bool {
        !isBlocked && !waiting.isEmpty && onWire.openCount < (inDoubt > 0 ? 1 : limits.messages)
    }

    package mutating func append(_ messages: some Sequence<Message>) {
        waiting.append(contentsOf: messages)
    }

    /// Returns the next message to write, or `nil` if no message may be written now. The returned message then counts
    /// as on the wire.
    package mutating func next() -> Message? {
        guard canWrite, let message = waiting.popFirst() else { return nil }
        onWire.published(message)
        return message
    }

    /// Removes and returns the next message if `isImpossible` returns true for it. The caller reports the failure.
    package mutating func removeNext(where isImpossible: (Message) -> Bool) -> Message? {
        guard let first = waiting.first, isImpossible(first) else { return nil }
        resolved(1)
        return waiting.popFirst()
    }

    /// Handles a `basic.ack` or `basic.nack`.
    ///
    /// - Parameter body: a function that receives each settled message, in the order of publishing.
    package mutating func settled(
        _ number: UInt64, multiple: Bool, _ body: (Message) -> Void
    ) throws(ConfirmTracker<Message>.Problem) {
        let before = onWire.openCount
        defer { resolved(before - onWire.openCount) }
        try onWire.settled(number, multiple: multiple, body)
    }

    /// Handles a `basic.return`. Returns the message that the broker returned, or `nil` if no message on the wire
    /// matches.
    package mutating func returned(where matches: (Message) -> Bool) -> Message? {
        let message = onWire.returned(where: matches)
        if message != nil { resolved(1) }
        return message
    }

    /// Handles a channel that the broker closed because of a publication.
    ///
    /// - Parameter sharesFate: a function that returns whether the broker would certainly refuse another message in
    ///   doubt for the same reason.
    /// - Returns: the refused messages, or an empty array while the culprit is not known.
    package mutating func channelClosedByPublication(
        sharesFate: (_ culprit: Message, _ other: Message) -> Bool
    ) -> [Message] {
        let open = onWire.channelLost()
        guard open.count == 1, let culprit = open.first else {
            waiting.prepend(contentsOf: open.map(repeated))
            inDoubt = max(inDoubt, open.count)
            return []
        }
        resolved(1)
        let doubtful = waiting.prefix(inDoubt)
        let refused = doubtful.filter { sharesFate(culprit, $0) }
        waiting.replaceSubrange(doubtful.indices, with: doubtful.filter { !sharesFate(culprit, $0) })
        inDoubt -= refused.count
        return [culprit] + refused
    }

    /// Handles the loss of the connection. Messages that were on the wire are written again before all others, in their
    /// order.
    package mutating func connectionLost() {
        waiting.prepend(contentsOf: onWire.channelLost().map(repeated))
        isBlocked = false
    }

    /// Removes and returns all messages without a confirm, refusal or return, in order.
    package mutating func takeAll() -> [Message] {
        connectionLost()
        inDoubt = 0
        defer { waiting = [] }
        return Array(waiting)
    }

    private mutating func resolved(_ count: Int) {
        inDoubt = max(0, inDoubt - count)
    }
}
