/// The round-trip time to a server, measured by PINGs, or by requests if the server does not tolerate PINGs.
///
/// Follows a shorter time at once and a longer one slowly. A longer time mostly comes from queues on our side or the
/// server's, not from the network.
package struct RoundTripTime {
    /// The time in milliseconds, or `nil` before the first answer.
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
