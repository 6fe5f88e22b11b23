/// A tracker that decides whether a host is silent. It collects the pushes whose requests have timed out since the
/// host's last answer. A single push is not enough, because a receiver may hang on one payload. A value type without
/// clock or I/O.
package struct HostSilence: Sendable {
    /// The time of the last answer, in milliseconds of uptime.
    private var lastAnsweredAt = Int64.min
    private var unanswered = DoubtedPushes()

    package init() {}

    package mutating func answered(nowMilliseconds now: Int64) {
        lastAnsweredAt = now
        unanswered.removeAll()
    }

    /// Records that the request of a push got no answer in time.
    ///
    /// - Parameters:
    ///   - writtenAt: The time at which the request was written, in milliseconds of uptime.
    ///   - isKnownSilent: Whether the host has not answered since it was found to be silent or unreachable. One more
    ///     request is then enough.
    /// - Returns: Whether the host is silent: it has answered nothing since the request was written, and pushes of
    ///   three jobs, or ten pushes, got no answer.
    package mutating func timedOut(_ push: PushIdentity, writtenAt: Int64, isKnownSilent: Bool) -> Bool {
        guard lastAnsweredAt < writtenAt else { return false }
        _ = unanswered.insert(push)
        return isKnownSilent || unanswered.areEvidence
    }
}
