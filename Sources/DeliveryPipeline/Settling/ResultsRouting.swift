package import PushModel

/// A sample of the result events that shows whether a queue takes them. If no queue is bound, the broker drops an event
/// and still confirms it. Therefore one event of each kind per second is published in a way that makes the broker
/// report this.
package struct ResultsRouting: Sendable {
    package struct Counts: Sendable, Hashable {
        /// The sampled events that at least one queue took.
        package var routed = 0
        /// The sampled events that no queue took.
        package var unrouted = 0
        /// The routing key of the last event that no queue took.
        package var lastUnrouted = ""

        package init(routed: Int = 0, unrouted: Int = 0, lastUnrouted: String = "") {
            (self.routed, self.unrouted, self.lastUnrouted) = (routed, unrouted, lastUnrouted)
        }
    }

    private static let intervalMilliseconds: Int64 = 1_000

    package private(set) var counts = Counts()
    /// The time of the last sample of each kind, by the kind's place.
    private var lastSamples = [Timestamp?](repeating: nil, count: OutcomeKind.allCases.count)
    private var unroutable: Set<UInt64> = []

    package init() {}

    /// Returns whether the next event of this kind belongs to the sample.
    package mutating func samples(_ kind: OutcomeKind, now: Timestamp) -> Bool {
        if let last = lastSamples[kind.place], now.milliseconds - last.milliseconds < Self.intervalMilliseconds,
            now >= last
        {
            return false
        }
        lastSamples[kind.place] = now
        return true
    }

    /// Records that no queue takes an event of the sample. The event's confirm follows.
    package mutating func isUnroutable(_ id: UInt64) { unroutable.insert(id) }

    /// Removes the events without a confirm, because their connection is lost.
    package mutating func disconnected() { unroutable = [] }

    /// Records the confirm of an event of the sample.
    package mutating func confirmed(_ id: UInt64, routingKey: String) {
        if unroutable.remove(id) != nil {
            counts.unrouted += 1
            counts.lastUnrouted = routingKey
        } else {
            counts.routed += 1
        }
    }
}
