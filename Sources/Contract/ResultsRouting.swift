package import PushModel

/// A sample of the result events that shows whether a queue receives them. If no queue is bound, the broker drops an
/// event and still confirms it. At most once per second, an event of each kind is therefore published with AMQP's
/// `mandatory` flag, so that the broker returns it if no queue receives it.
package struct ResultsRouting: Sendable {
    package struct Counts: Sendable, Hashable {
        /// The number of sampled events that at least one queue took.
        package var routed = 0
        /// The number of sampled events that no queue took.
        package var unrouted = 0
        /// The routing key of the last event that no queue took, or an empty string.
        package var lastUnrouted = ""

        package init(routed: Int = 0, unrouted: Int = 0, lastUnrouted: String = "") {
            (self.routed, self.unrouted, self.lastUnrouted) = (routed, unrouted, lastUnrouted)
        }
    }

    private static let intervalMilliseconds: Int64 = 1_000

    package private(set) var counts = Counts()
    /// The time of the last sample of each kind, by the kind's index.
    private var lastSamples = [Timestamp?](repeating: nil, count: OutcomeKind.allCases.count)
    /// The ids of the unconfirmed events that no queue took.
    private var unroutable: Set<UInt64> = []

    package init() {}

    /// Returns whether the next event of a kind belongs to the sample.
    package mutating func samples(_ kind: OutcomeKind, now: Timestamp) -> Bool {
        if let last = lastSamples[kind.place], now.milliseconds - last.milliseconds < Self.intervalMilliseconds,
            now >= last
        {
            return false
        }
        lastSamples[kind.place] = now
        return true
    }

    /// Records that no queue took an event of the sample. The broker's confirm of the event follows.
    package mutating func isUnroutable(_ id: UInt64) { unroutable.insert(id) }

    /// Discards the return of an event that the broker also refused. The event will be published again.
    package mutating func refused(_ id: UInt64) { unroutable.remove(id) }

    /// Forgets which unconfirmed events no queue took. The publishing connection is lost, so they will be published
    /// again.
    package mutating func disconnected() { unroutable = [] }

    /// Records the broker's confirm of an event of the sample.
    package mutating func confirmed(_ id: UInt64, routingKey: String) {
        if unroutable.remove(id) != nil {
            counts.unrouted += 1
            counts.lastUnrouted = routingKey
        } else {
            counts.routed += 1
        }
    }
}
