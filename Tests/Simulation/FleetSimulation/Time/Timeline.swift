import HeapModule

/// The virtual time of a history, and its future events. An event is a closure. The whole fleet runs in one thread, so
/// each event ends before the next one starts.
// why: unchecked, because one thread uses the whole simulation. The workers' effects must be sendable.
package final class Timeline: @unchecked Sendable {
    private struct Event: Comparable {
        let time: Int64
        /// The number of the event. Events with the same time run in the order of their numbers.
        let number: UInt64
        let work: () -> Void

        static func < (left: Event, right: Event) -> Bool { (left.time, left.number) < (right.time, right.number) }
        static func == (left: Event, right: Event) -> Bool { left.number == right.number }
    }

    private var events = Heap<Event>()
    private var scheduled: UInt64 = 0
    /// The time since the start of the history, in microseconds.
    package private(set) var now: Int64 = 0
    /// The number of events that have run.
    package private(set) var count = 0

    /// A function that receives the lines of the timeline, or `nil` if they are not needed.
    package var reader: ((String) -> Void)?

    package init() {}

    /// Passes a line with the current time to ``reader``, if it is set.
    func note(_ line: @autoclosure () -> String) {
        guard let reader else { return }
        let seconds = now / 1_000_000
        let micros = String(now % 1_000_000 + 1_000_000).dropFirst()
        reader("\(seconds).\(micros)  \(line())")
    }

    /// The time since the start of the history, in milliseconds.
    package var milliseconds: Int64 { now / 1_000 }

    /// Runs a closure after a delay in microseconds.
    package func after(microseconds: Int64, _ work: @escaping () -> Void) {
        scheduled += 1
        events.insert(Event(time: now + max(0, microseconds), number: scheduled, work: work))
    }

    /// Runs a closure after a delay in milliseconds.
    package func after(milliseconds: Int64, _ work: @escaping () -> Void) {
        after(microseconds: milliseconds * 1_000, work)
    }

    /// Runs all events up to a time in milliseconds since the start of the history.
    package func run(untilMilliseconds end: Int64) {
        while let next = events.min, next.time <= end * 1_000 {
            events.removeMin()
            now = next.time
            count += 1
            next.work()
        }
        now = max(now, end * 1_000)
    }
}
