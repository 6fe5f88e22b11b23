import DequeModule

/// Which message each publisher confirm is about (rabbitmq.com, "Consumer Acknowledgements and Publisher Confirms").
///
/// The broker counts the messages of a channel from 1 and confirms numbers, in any order, one by one or all up to one.
/// It returns a mandatory message that nobody takes first, by content, and confirms its number afterwards; such a
/// message counts as returned only. A value: it holds for one channel, a new channel starts a new one.
package struct ConfirmTracker<Message> {
    package enum Problem: Error, Sendable, Hashable {
        /// The broker confirmed a number that is not open.
        case unknownNumber(UInt64)
    }

    private enum State {
        case open, settled, returned
    }

    private struct Entry {
        let message: Message
        var state: State
    }

    private var entries = Deque<Entry>()
    /// The number of the first entry.
    private var firstNumber: UInt64 = 1
    /// Returns come in the order of publishing, so none is for an entry before this number.
    private var nextReturnable: UInt64 = 1
    /// Messages without a verdict.
    package private(set) var openCount = 0

    package init() {}

    /// The next message was written to the channel.
    package mutating func published(_ message: Message) {
        entries.append(Entry(message: message, state: .open))
        openCount += 1
    }

    /// A `basic.ack` or `basic.nack`.
    ///
    /// - Parameter body: gets each message it settles, in the order of publishing.
    package mutating func settled(
        _ number: UInt64, multiple: Bool, _ body: (Message) -> Void
    ) throws(Problem) {
        let end = firstNumber + UInt64(entries.count)
        if multiple {
            // Zero means all so far (AMQP 0-9-1, basic.ack, delivery-tag).
            let last = number == 0 ? end - 1 : number
            guard last < end else { throw .unknownNumber(number) }
            while firstNumber <= last, let entry = popFirst() {
                if entry.state == .open { settle(entry.message, body) }
            }
        } else {
            guard number >= firstNumber, number < end else { throw .unknownNumber(number) }
            let offset = Int(number - firstNumber)
            let entry = entries[offset]
            guard entry.state != .settled else { throw .unknownNumber(number) }
            entries[offset].state = .settled
            if entry.state == .open { settle(entry.message, body) }
        }
        while entries.first?.state == .settled { _ = popFirst() }
    }

    /// A `basic.return`.
    ///
    /// - Parameter matches: whether a message is the one that came back.
    /// - Returns: the first open message that matches.
    package mutating func returned(where matches: (Message) -> Bool) -> Message? {
        var number = max(nextReturnable, firstNumber)
        while number < firstNumber + UInt64(entries.count) {
            let offset = Int(number - firstNumber)
            number += 1
            let entry = entries[offset]
            guard entry.state == .open, matches(entry.message) else { continue }
            entries[offset].state = .returned
            openCount -= 1
            nextReturnable = number
            return entry.message
        }
        return nil
    }

    /// The channel is gone: the messages without a verdict, in the order of publishing.
    package mutating func channelLost() -> [Message] {
        defer { self = Self() }
        return entries.compactMap { $0.state == .open ? $0.message : nil }
    }

    private mutating func settle(_ message: Message, _ body: (Message) -> Void) {
        openCount -= 1
        body(message)
    }

    private mutating func popFirst() -> Entry? {
        guard let entry = entries.popFirst() else { return nil }
        firstNumber += 1
        return entry
    }
}
