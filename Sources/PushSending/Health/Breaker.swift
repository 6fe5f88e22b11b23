internal import Pacing

/// Decides whether requests may go that share something a provider has refused: a credential, a topic or a host. A value: no
/// clock, no I/O.
///
/// | state | goes to | when |
/// |---|---|---|
/// | closed, trial | open | a request is refused by a statement about what they share |
/// | closed | trial | a request is refused ambiguously, and nothing was accepted since it was written |
/// | trial | open | the requests of three jobs, or ten pushes, were refused ambiguously, and none was accepted |
/// | open | trial | its time is over: 15 s at first, then twice as long each time |
/// | open, trial | closed | a request is accepted |
///
/// In a trial one request goes at a time, the probe, until one is accepted. A probe that ends without evidence is followed by
/// the next one at once, and a probe without any answer by the next one after a minute.
package struct Breaker: Sendable {
    package enum Admission: Equatable {
        case pass
        /// This request finds out for the others.
        case probe
        /// The request may go or must be held within ``patienceMilliseconds``: it waits where it is.
        case wait
        /// The request waits in a delay queue.
        case hold
    }

    /// What a refusal says about what requests share.
    package enum Evidence: Sendable {
        /// The provider says that it refuses the credential, the topic or everything.
        case stated
        /// The refusal may be about this push alone.
        case ambiguous(PushIdentity)
    }

    package enum Conclusion: Equatable {
        /// Others are accepted: the refused request alone is at fault.
        case requestAtFault
        /// The next request finds out.
        case doubted
        /// Open. `isNew`: it was not before.
        case refused(isNew: Bool)
    }

    private enum State {
        case closed
        case open(until: Int64)
        /// Nil: the next request is the probe.
        case trial(probeSince: Int64?)
    }

    /// The longest time that a request waits for a probe outside of the broker.
    package static let patienceMilliseconds: Int64 = 5_000
    package static let probeTimeoutMilliseconds: Int64 = 60_000
    /// Ambiguous refusals that open the breaker, if nothing is accepted in between.
    package static let jobsInDoubt = 3
    package static let pushesInDoubt = 10

    /// Why it was opened last; `nil` while it is closed.
    package private(set) var reason: String?
    private var openings: Backoff
    private var state = State.closed
    private var doubted = DoubtedPushes()
    private var openedAt = Int64.min
    /// When the newest of the requests was written that a statement refused.
    private var refusalWrittenAt = Int64.min
    private var lastAcceptedAt = Int64.min
    /// When the newest of the accepted requests was written.
    private var acceptedWrittenAt = Int64.min

    package init(shortestMilliseconds: Int64 = 15_000, longestMilliseconds: Int64 = 900_000) {
        openings = Backoff(
            first: .milliseconds(shortestMilliseconds), longest: .milliseconds(longestMilliseconds), jitter: 0.1)
    }

    package var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Whether it was opened, and nothing has been accepted since.
    package var isRefused: Bool { openings.failures > 0 }

    /// The last opening's length in milliseconds, but for its jitter.
    package var openMilliseconds: Int64 { openings.ceiling.wholeMilliseconds }

    /// Seconds that a push is held in a delay queue: few enough that it goes soon after the cause is mended, and enough that
    /// holding costs the broker little.
    package var holdSeconds: Int32 { openMilliseconds > 30_000 ? 120 : 30 }

    /// Seconds that a probe is held that was refused: longer than the others, so that it is not the next probe.
    package var probeHoldSeconds: Int32 { openMilliseconds > 30_000 ? 900 : 120 }

    // MARK: Evidence

    /// Takes the refusal of a request into account.
    ///
    /// - Parameters:
    ///   - writtenAt: when the refused request was written, in milliseconds of the same clock.
    ///   - random: a number from 0 up to 1. A tenth of the time is left to chance, so that workers do not probe in step.
    package mutating func refused(
        _ reason: String, _ evidence: Evidence, writtenAt: Int64, nowMilliseconds now: Int64, random: Double
    ) -> Conclusion {
        switch evidence {
        case .stated:
            if acceptedWrittenAt > writtenAt { return .requestAtFault }
            refusalWrittenAt = max(refusalWrittenAt, writtenAt)
            if isOpen(now) || !isClosed && writtenAt <= openedAt { return .refused(isNew: false) }
        case .ambiguous(let push):
            if lastAcceptedAt >= writtenAt { return .requestAtFault }
            // It was on its way when the breaker opened.
            if isOpen(now) || !isClosed && writtenAt <= openedAt { return .doubted }
            if isClosed { state = .trial(probeSince: nil) }
            doubted.insert(push)
            guard doubted.jobs >= Self.jobsInDoubt || doubted.pushes >= Self.pushesInDoubt else { return .doubted }
            refusalWrittenAt = .min
        }
        return open(reason, now, random)
    }

    /// Opens it for a reason that no single request was told, such as a silent host.
    ///
    /// - Returns: whether it was closed until now.
    package mutating func refused(_ reason: String, nowMilliseconds now: Int64, random: Double) -> Bool {
        refused(reason, .stated, writtenAt: now, nowMilliseconds: now, random: random) == .refused(isNew: true)
    }

    private func isOpen(_ now: Int64) -> Bool {
        if case .open(let until) = state { now < until } else { false }
    }

    private mutating func open(_ reason: String, _ now: Int64, _ random: Double) -> Conclusion {
        let isNew = !isRefused
        self.reason = reason
        doubted = DoubtedPushes()
        openedAt = now
        state = .open(until: now + openings.failed(random: random).wholeMilliseconds)
        return .refused(isNew: isNew)
    }

    /// Takes an accepted request into account. One that was written before a statement's request proves nothing.
    ///
    /// - Returns: whether this ends a refusal.
    package mutating func accepted(writtenAt: Int64, nowMilliseconds now: Int64) -> Bool {
        lastAcceptedAt = now
        acceptedWrittenAt = max(acceptedWrittenAt, writtenAt)
        return !isClosed && writtenAt > refusalWrittenAt && succeeded()
    }

    /// Closes it.
    ///
    /// - Returns: whether this ends a refusal.
    @discardableResult
    package mutating func succeeded() -> Bool {
        guard !isClosed else { return false }
        defer { openings.succeeded() }
        state = .closed
        reason = nil
        doubted = DoubtedPushes()
        refusalWrittenAt = .min
        return isRefused
    }

    // MARK: Whether a request may go

    package func admission(nowMilliseconds now: Int64) -> Admission {
        switch state {
        case .closed: return .pass
        case .trial(nil): return .probe
        case .open(let until):
            return now >= until ? .probe : until - now <= Self.patienceMilliseconds ? .wait : .hold
        case .trial(let since?):
            let waited = now - since
            return waited <= Self.patienceMilliseconds ? .wait : waited < Self.probeTimeoutMilliseconds ? .hold : .probe
        }
    }

    /// The same for a request that goes if it may.
    package mutating func admit(nowMilliseconds now: Int64) -> Admission {
        let admission = admission(nowMilliseconds: now)
        if admission == .probe { state = .trial(probeSince: now) }
        return admission
    }

    /// The probe is no longer on its way; its evidence follows, if it has any.
    package mutating func probeWasNone() {
        if case .trial = state { state = .trial(probeSince: nil) }
    }

    /// Whether nothing may go now.
    package func holds(nowMilliseconds now: Int64) -> Bool {
        switch admission(nowMilliseconds: now) {
        case .pass, .probe: false
        case .wait, .hold: true
        }
    }
}

/// Pushes that were refused ambiguously since the last one was accepted.
private struct DoubtedPushes: Sendable {
    private var seen: Set<PushIdentity> = []

    var pushes: Int { seen.count }
    var jobs: Int { Set(seen.map(\.job)).count }

    mutating func insert(_ push: PushIdentity) { seen.insert(push) }
}
