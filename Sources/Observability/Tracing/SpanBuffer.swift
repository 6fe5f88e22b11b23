package import Metering
import Foundations
package import Traces

/// A buffer between the pipeline and the exporter of traces. The pipeline's queue adds spans and never waits. The
/// exporter removes spans and reports their results, which the buffer counts.
package final class SpanBuffer: Sendable {
    /// The numbers of spans by result.
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
        /// The number of spans that the exporter has taken and that have no result yet.
        var underWay = 0
        var hasEnded = false

        /// Records that the exporter has a result for some of the spans that it took.
        ///
        /// - Returns: the number of spans to add to the count of the result. It is 0 after ``end()``, which has already
        ///   counted the spans as given up.
        mutating func settle(_ count: Int) -> Int {
            guard !hasEnded else { return 0 }
            underWay -= count
            return count
        }
    }

    private let state = Mutex(State())
    /// A stream with a new element after spans have been added. It buffers one element.
    let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    package init() {
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func add(_ spans: [Span]) {
        state.withLock { $0.queue.add(spans) }
        arrived.yield()
    }

    /// Ends the stream of arrivals.
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

    /// Counts all spans without a result as dropped. Results that are reported later are ignored.
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

    package func add(to page: inout MetricPage) {
        let counts = counts
        page.add(.spans, ["sent"], counts.sent)
        page.add(.spans, ["dropped"], counts.dropped)
        page.add(.spans, ["refused"], counts.refused)
    }
}
