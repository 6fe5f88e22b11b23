internal import Pacing

/// Stops what has been refused from being tried over and over. A value: no clock, no I/O.
///
/// | state | goes to | when |
/// |---|---|---|
/// | closed; or open, its time over | open | something was refused |
/// | open | probing | its time is over: one push is let through |
/// | probing | closed | that push, or one that was still under way, was not refused |
/// | probing | open, for twice as long | it was refused |
/// | probing | open, its time over | nothing will be heard of it: another push is let through |
/// | probing | probing | nothing was heard of it for a minute: the same |
package struct Breaker: Sendable {
    package enum Admission: Equatable {
        case pass
        /// Let one push through, and tell what became of it.
        case probe
        /// Let nothing through.
        case hold
    }

    private enum State {
        case closed
        case open(until: Int64)
        case probing(since: Int64)
    }

    package static let probeTimeoutMilliseconds: Int64 = 60_000

    /// Why it is not closed.
    package private(set) var reason: String?
    /// How long it was opened for last, in milliseconds.
    package var openMilliseconds: Int64 { openings.ceiling.wholeMilliseconds }
    private var openings: Backoff
    private var state = State.closed

    package init(shortestMilliseconds: Int64 = 15_000, longestMilliseconds: Int64 = 900_000) {
        openings = Backoff(
            first: .milliseconds(shortestMilliseconds), longest: .milliseconds(longestMilliseconds), jitter: 0.1)
    }

    package var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// - Parameter random: a number from 0 up to 1; a tenth of the time is left to chance, so that a fleet does
    ///   not ask all at once.
    /// - Returns: whether this has opened it. Pushes that were under way when it opened are refused, too, and change
    ///   nothing.
    package mutating func refused(_ reason: String, nowMilliseconds now: Int64, random: Double) -> Bool {
        if case .open(let until) = state, now < until { return false }
        let wasClosed = isClosed
        self.reason = reason
        state = .open(until: now + openings.failed(random: random).wholeMilliseconds)
        return wasClosed
    }

    /// - Returns: whether this has closed it.
    package mutating func succeeded() -> Bool {
        guard !isClosed else { return false }
        state = .closed
        openings.succeeded()
        reason = nil
        return true
    }

    /// The push that was let through has found out nothing; without one, nothing happens.
    package mutating func probeWasNone() {
        if case .probing = state { state = .open(until: .min) }
    }

    /// Whether ``admit(nowMilliseconds:)`` would let nothing through.
    package func holds(nowMilliseconds now: Int64) -> Bool {
        switch state {
        case .closed: false
        case .open(let until): now < until
        case .probing(let since): now - since < Self.probeTimeoutMilliseconds
        }
    }

    /// After how many seconds what is held should ask again: soon enough to be sent not long after things are
    /// mended, and seldom enough that what waits does not busy the broker.
    package var holdSeconds: Int32 { openMilliseconds > 60_000 ? 120 : 30 }

    package mutating func admit(nowMilliseconds now: Int64) -> Admission {
        if isClosed { return .pass }
        if holds(nowMilliseconds: now) { return .hold }
        state = .probing(since: now)
        return .probe
    }
}
