/// The round-trip time to a server, measured by PINGs, or by requests if the connection sends no PINGs.
///
/// A shorter measurement replaces the value at once. A longer measurement changes the value slowly, because longer
/// times mostly come from queues in this process or in the server, not from the network.
package struct RoundTripTime {
    /// The smoothed time in milliseconds, or `nil` before the first measurement.
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
