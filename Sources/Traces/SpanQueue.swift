import DequeModule

/// Spans that wait to be sent: so many at most, the newest. A value.
package struct SpanQueue {
    package static let most = 2_048

    private var spans: Deque<Span> = []
    /// For want of room.
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

    /// The oldest, so many at most.
    package mutating func take(_ most: Int) -> [Span] {
        let taken = Array(spans.prefix(most))
        spans.removeFirst(taken.count)
        return taken
    }
}
