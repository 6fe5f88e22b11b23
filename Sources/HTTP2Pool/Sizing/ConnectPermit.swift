import Foundations

/// The rate limit and back-off for opening a pool's connections. A value type without clock or I/O.
///
/// Some connections may open at once, then one per second. This protects a server that accepts connections, answers one
/// request and closes them. A back-off is added after connections that ended before they were proven by an answer. A
/// proven connection that the server asks to close is replaced without back-off, because the failures of other
/// connections must not delay it.
package struct ConnectPermit {
    package static let paceMilliseconds: Int64 = 1_000

    private let atOnce: Int
    /// The back-off after failures. A wait is never shorter than a tenth of its maximum, because Apple treats immediate
    /// reconnections as churn.
    private var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
    private var notBefore = Int64.min
    /// The time at which the rate limit has recovered from all opened connections, in milliseconds of ``Uptime``. Each
    /// connection delays this time by one second.
    private var pacedUntil: Int64 = 0
    /// The number of connections that must be replaced and have no replacement yet.
    package private(set) var replacements = 0

    /// Creates a permit without failures.
    ///
    /// - Parameter atOnce: The number of connections that may open without a pause, at least 1.
    package init(atOnce: Int) {
        self.atOnce = atOnce
    }

    /// Records that an answer has proven a connection.
    package mutating func succeeded() {
        backoff.succeeded()
        notBefore = .min
    }

    /// Records that a connection ended before it was proven.
    ///
    /// - Parameter random: A number from 0 up to, but not including, 1.
    package mutating func failed(nowMilliseconds now: Int64, random: Double) {
        notBefore = now + backoff.failed(random: random).wholeMilliseconds
    }

    /// Records that a proven connection closes because the server asks for it.
    package mutating func mustReplace() { replacements += 1 }

    /// Records that a connection has carried all requests that its server accepts on one connection. Opening the next
    /// connection then needs no pause.
    package mutating func completed() { pacedUntil -= Self.paceMilliseconds }

    /// Records that connections are being opened.
    package mutating func connecting(_ count: Int, nowMilliseconds now: Int64) {
        replacements = max(0, replacements - count)
        pacedUntil = max(pacedUntil, now) + Int64(count) * Self.paceMilliseconds
    }

    /// Returns the time until the next connection may be opened, in milliseconds.
    package func wait(nowMilliseconds now: Int64) -> Int64 {
        let pace = max(0, pacedUntil - now - Int64(atOnce - 1) * Self.paceMilliseconds)
        return replacements > 0 || notBefore <= now ? pace : max(pace, notBefore - now)
    }
}
