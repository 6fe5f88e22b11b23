import Metering
import Threading
package import Traces

/// Between the pipeline's queue, which puts spans in and never waits, and the exporter, which takes them out; and how many
/// became what.
package final class SpanBuffer: Sendable {
    /// Of spans.
    package struct Counts: Sendable, Hashable {
        package var sent, dropped, refused: Int

        package init(sent: Int, dropped: Int, refused: Int) {
            (self.sent, self.dropped, self.refused) = (sent, dropped, refused)
        }
    }

    private struct State {
        var queue = SpanQueue()
        var sent = 0
        var givenUp = 0
        var refused = 0
        /// Taken out, and not told yet what became of them.
        var underWay = 0
        var hasEnded = false

        /// - Returns: how many of these count still: what was given up at the end stays so.
        mutating func settle(_ count: Int) -> Int {
            guard !hasEnded else { return 0 }
            underWay -= count
            return count
        }
    }

    private let state = Mutex(State())
    /// Something is there.
    let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    package init() {
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func add(_ spans: [Span]) {
        state.withLock { $0.queue.add(spans) }
        arrived.yield()
    }

    /// Nothing comes any more.
    package func close() { arrived.finish() }

    package var count: Int { state.withLock { $0.queue.count } }

    package func take(_ most: Int) -> [Span] {
        state.withLock { state in
            let spans = state.queue.take(most)
            state.underWay += spans.count
            return spans
        }
    }

    package func sent(_ count: Int) { state.withLock { $0.sent += $0.settle(count) } }
    package func refused(_ count: Int) { state.withLock { $0.refused += $0.settle(count) } }
    package func givenUp(_ count: Int) { state.withLock { $0.givenUp += $0.settle(count) } }

    /// What nobody has taken by now counts as dropped, whatever is said of it later.
    package func end() {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.givenUp += state.underWay + state.queue.take(.max).count
            (state.underWay, state.hasEnded) = (0, true)
        }
    }

    package var counts: Counts {
        state.withLock { Counts(sent: $0.sent, dropped: $0.queue.dropped + $0.givenUp, refused: $0.refused) }
    }

    func add(to page: inout MetricPage) {
        let counts = counts
        page.add(.spans, ["sent"], counts.sent)
        page.add(.spans, ["dropped"], counts.dropped)
        page.add(.spans, ["refused"], counts.refused)
    }
}
