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

    func take(_ most: Int) -> [Span] { state.withLock { $0.queue.take(most) } }

    func sent(_ count: Int) { state.withLock { $0.sent += count } }
    func refused(_ count: Int) { state.withLock { $0.refused += count } }
    func givenUp(_ count: Int) { state.withLock { $0.givenUp += count } }

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
