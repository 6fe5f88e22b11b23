/// When a pool may open its next connection. A value: no clock, no I/O.
///
/// Back-off is for connections that ended before they were of use. One that was of use until the server
/// wanted it closed is replaced without: its place must not wait for the failures of others.
package struct ConnectPermit {
    private var backoff = ConnectBackoff()
    private var notBefore = Int64.min
    /// Connections to be replaced whose place nobody has taken.
    package private(set) var replacements = 0

    package init() {}

    /// A connection has been of use.
    package mutating func succeeded() {
        backoff.succeeded()
        notBefore = .min
    }

    /// A connection ended before it was of use.
    ///
    /// - Parameter random: a number from 0 up to 1.
    package mutating func failed(nowMilliseconds now: Int64, random: Double) {
        notBefore = now + backoff.failed(random: random)
    }

    /// A connection of use is going away by the server's wish.
    package mutating func mustReplace() { replacements += 1 }

    /// So many are being opened.
    package mutating func connecting(_ count: Int) { replacements = max(0, replacements - count) }

    /// Milliseconds until the next may be opened.
    package func wait(nowMilliseconds now: Int64) -> Int64 {
        replacements > 0 || notBefore <= now ? 0 : notBefore - now
    }
}
