import Pacing

/// When a pool may open its next connection. A value: no clock, no I/O.
///
/// It may open some at once, and then one a second: a server that lets us in, answers a push and leaves is not to be
/// besieged. On top of that comes back-off, for connections that ended before they were of use. One that was of use until
/// the server wanted it closed is replaced without: its place must not wait for the failures of others.
package struct ConnectPermit {
    package static let paceMilliseconds: Int64 = 1_000

    private let atOnce: Int
    /// Its waits are never less than a tenth: an immediate reconnection is what Apple calls churn.
    private var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
    private var notBefore = Int64.min
    /// When all that were opened would have been opened, one after the other at that pace.
    private var pacedUntil: Int64 = 0
    /// Connections to be replaced whose place nobody has taken.
    package private(set) var replacements = 0

    /// - Parameter atOnce: at least 1.
    package init(atOnce: Int) {
        self.atOnce = atOnce
    }

    /// A connection has been of use.
    package mutating func succeeded() {
        backoff.succeeded()
        notBefore = .min
    }

    /// A connection ended before it was of use.
    ///
    /// - Parameter random: a number from 0 up to 1.
    package mutating func failed(nowMilliseconds now: Int64, random: Double) {
        notBefore = now + backoff.failed(random: random).wholeMilliseconds
    }

    /// A connection of use is going away by the server's wish.
    package mutating func mustReplace() { replacements += 1 }

    /// A connection has done all that its server takes one for: to open another is no haste.
    package mutating func completed() { pacedUntil -= Self.paceMilliseconds }

    /// So many are being opened.
    package mutating func connecting(_ count: Int, nowMilliseconds now: Int64) {
        replacements = max(0, replacements - count)
        pacedUntil = max(pacedUntil, now) + Int64(count) * Self.paceMilliseconds
    }

    /// Milliseconds until the next may be opened.
    package func wait(nowMilliseconds now: Int64) -> Int64 {
        let pace = max(0, pacedUntil - now - Int64(atOnce - 1) * Self.paceMilliseconds)
        return replacements > 0 || notBefore <= now ? pace : max(pace, notBefore - now)
    }
}
