import DequeModule

/// The publications of one publisher: those that wait and those on the wire, and which may be written next. A value.
///
/// When the broker closes the channel because of a publication (missing exchange, no permission, refused property), it
/// does not say which. The publications then on the wire are in doubt and are written again one at a time; the one
/// that is alone on the wire when that happens again is the culprit and gets the broker's verdict. So each
/// such round settles at least one publication, and none is tried for ever.
package struct PublishingQueue<Message> {
    package struct Limits: Sendable {
        /// Messages without a confirm on the wire.
        let messages: Int

        package init(messages: Int) {
            self.messages = max(1, messages)
        }
    }

    private let limits: Limits
    /// Returns the message to write in place of one that was on the wire.
    private let repeated: (Message) -> Message
    private var waiting = Deque<Message>()
    private var onWire = ConfirmTracker<Message>()
    /// How many of the first in ``waiting`` and on the wire are in doubt.
    private var inDoubt = 0
    /// The broker asked to write nothing (connection.blocked).
    package var isBlocked = false

    /// - Parameter repeated: returns the message to write in place of one that was on the wire, because the broker may
    ///   have accepted the first copy.
    package init(limits: Limits, repeated: @escaping (Message) -> Message = { $0 }) {
        self.limits = limits
        self.repeated = repeated
    }

    /// All that have no verdict.
    package var count: Int { waiting.count + onWire.openCount }

    package var canWrite: Bool {
        !isBlocked && !waiting.isEmpty && onWire.openCount < (inDoubt > 0 ? 1 : limits.messages)
    }

    package mutating func append(_ messages: some Sequence<Message>) {
        waiting.append(contentsOf: messages)
    }

    /// The next one to write now; it counts as on the wire. `nil` when it must wait.
    package mutating func next() -> Message? {
        guard canWrite, let message = waiting.popFirst() else { return nil }
        onWire.published(message)
        return message
    }

    /// The next one that can't be written at all: taken out, with a verdict of the caller's.
    package mutating func removeNext(where isImpossible: (Message) -> Bool) -> Message? {
        guard let first = waiting.first, isImpossible(first) else { return nil }
        resolved(1)
        return waiting.popFirst()
    }

    /// A confirm, positive or negative.
    package mutating func settled(
        _ number: UInt64, multiple: Bool, _ body: (Message) -> Void
    ) throws(ConfirmTracker<Message>.Problem) {
        let before = onWire.openCount
        defer { resolved(before - onWire.openCount) }
        try onWire.settled(number, multiple: multiple, body)
    }

    /// The broker returned a message: the one it was.
    package mutating func returned(where matches: (Message) -> Bool) -> Message? {
        let message = onWire.returned(where: matches)
        if message != nil { resolved(1) }
        return message
    }

    /// The broker closed the channel because of a publication.
    ///
    /// - Parameter sharesFate: whether another one in doubt certainly meets the same refusal.
    /// - Returns: those that are refused, empty while the culprit is not known yet.
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

    /// Handles the loss of the connection. Messages that were on the wire are written again first, in their order.
    package mutating func connectionLost() {
        waiting.prepend(contentsOf: onWire.channelLost().map(repeated))
        isBlocked = false
    }

    /// Gives up: all without a verdict, in order.
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
