import DequeModule

/// A tracker that maps publisher confirms to the messages of one channel (rabbitmq.com, "Consumer Acknowledgements and
/// Publisher Confirms"). A value type without clock or I/O.
///
/// The broker counts the messages of a channel from 1. It confirms their numbers in any order, one by one or all up to
/// a number. If no queue takes a mandatory message, the broker first returns it, without its number, and then confirms
/// the number. Such a message counts only as returned. A new channel needs a new tracker.
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
    /// The lowest number that may still be returned. Returns arrive in the order of publishing.
    private var nextReturnable: UInt64 = 1
    /// The number of messages that are neither confirmed, refused nor returned.
    package private(set) var openCount = 0

    package init() {}

    /// Records that the next message was written to the channel.
    package mutating func published(_ message: Message) {
        entries.append(Entry(message: message, state: .open))
        openCount += 1
    }

    /// Handles a `basic.ack` or `basic.nack`.
    ///
    /// - Parameter body: a function that receives each settled message, in the order of publishing.
    package mutating func settled(
        _ number: UInt64, multiple: Bool, _ body: (Message) -> Void
    ) throws(Problem) {
        let end = firstNumber + UInt64(entries.count)
        if multiple {
            // Zero means all messages so far (AMQP 0-9-1, basic.ack, delivery-tag).
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

    /// Handles a `basic.return`.
    ///
    /// - Parameter matches: a function that returns whether a message equals the returned one.
    /// - Returns: the first open message that matches, or `nil` if none does.
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

    /// Handles the loss of the channel. Returns the messages without a confirm, refusal or return, in the order of
    /// publishing.
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
