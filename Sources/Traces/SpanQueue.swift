import DequeModule

/// A queue of spans that wait to be sent. It keeps only the newest ``most`` spans. A value type without clock or I/O.
package struct SpanQueue {
    package static let most = 2_048

    private var spans: Deque<Span> = []
    /// The number of spans that were dropped because the queue was full.
    package private(set) var dropped = 0

    package init() {}

    package var count: Int { spans.count }

    package mutating func add(_ new: [Span]) {
        spans.append(contentsOf: new)
        let surplus = spans.count - Self.most
        guard surplus > 0 else { return }
        spans.removeFirst(surplus)
        dropped += surplus
    }

    /// Removes and returns the oldest spans, up to the given number.
    package mutating func take(_ most: Int) -> [Span] {
        let taken = Array(spans.prefix(most))
        spans.removeFirst(taken.count)
        return taken
    }
}
