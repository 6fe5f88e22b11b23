/// How long the way to the server and back takes, as its answers to PINGs tell, or to requests where it bears no PINGs.
/// Follows a shorter time at once and a longer one slowly, because
/// what makes it longer is mostly our own queue or the server's, not the way.
package struct RoundTripTime {
    /// Nil before the first answer.
    package private(set) var milliseconds: Double?

    package init() {}

    package mutating func measured(milliseconds sample: Double) {
        guard let before = milliseconds, sample > before else {
            milliseconds = max(0, sample)
            return
        }
        milliseconds = before + (sample - before) / 8
    }
}
