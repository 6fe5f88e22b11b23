/// The requests that a host has left without an answer since its last answer. One such request is evidence about that
/// request alone, because a receiver may hang on a single payload.
package struct HostSilence: Sendable {
    /// Uptime of the last answer, in milliseconds.
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
    ///   - writtenAt: the time at which the request was written, in milliseconds of the same clock.
    ///   - isKnownSilent: whether the host has not answered since it was found silent or unreachable. One more request
    ///     is then enough.
    /// - Returns: whether the host is silent: it has answered nothing since the request was written, and pushes of
    ///   three jobs, or ten pushes, got no answer.
    package mutating func timedOut(_ push: PushIdentity, writtenAt: Int64, isKnownSilent: Bool) -> Bool {
        guard lastAnsweredAt < writtenAt else { return false }
        _ = unanswered.insert(push)
        return isKnownSilent || unanswered.areEvidence
    }
}
