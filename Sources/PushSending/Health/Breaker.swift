internal import Foundations

/// A circuit breaker for requests that share a credential, topic, app or host. A value type without clock or I/O.
///
/// | state | goes to | when |
/// |---|---|---|
/// | closed, trial | open | a refusal is stated, and nothing has been accepted recently |
/// | closed | open | three jobs or ten pushes get stated refusals, or such refusals last ten seconds (see below) |
/// | closed, trial | open | the host is silent or unreachable, or the credential is refused without a push (GOAWAY) |
/// | closed | trial | a request is refused ambiguously, and nothing has been accepted recently |
/// | trial | open | pushes of three jobs, or ten pushes, are refused ambiguously, and none is accepted in between |
/// | trial after an opening | open | a push that was not refused before is refused ambiguously |
/// | open | trial | the opening ends: after 15 s at first, then after twice as long each time |
/// | open, trial | closed | a request is accepted |
///
/// A request has been accepted recently if it was accepted in the last minute or since the refused request was written.
/// Even then, stated refusals open the breaker if nothing is accepted between them. Refusals of three jobs or ten
/// pushes suffice only if nothing has been accepted for a second. Refusals that last ten seconds suffice unless the
/// provider accepts the credential for other topics or apps.
///
/// A trial sends one request at a time, the probe, until one is accepted. The next probe follows at once if a probe
/// ends and the trial continues, and after a minute if a probe has not ended. Some requests were already on the wire
/// when the trial began or the breaker opened. Their ambiguous refusals do not count as evidence.
package struct Breaker: Sendable {
    package enum Admission: Equatable {
        case pass
        /// The request is the probe. Its result decides what happens to the waiting requests.
        case probe
        /// The request stays in its queue. It will be sent or held within ``patienceMilliseconds``.
        case wait
        /// The request waits in a delay queue.
        case hold
    }

    /// The evidence that a refusal gives about other requests with the same credential, topic or host.
    package enum Evidence: Sendable {
        /// The host is silent or unreachable, or the provider refuses the credential without reference to a push.
        case global
        /// The answer to a push states that the provider refuses the credential or the topic.
        /// If `isAlone` is `true`, other topics or apps use the credential, and the provider has accepted it recently.
        case stated(PushIdentity, isAlone: Bool = false)
        /// The refusal may concern this push alone.
        case ambiguous(PushIdentity)
    }

    package enum Conclusion: Equatable {
        /// The refusal counts against this request alone, because other requests have been accepted recently.
        case requestAtFault
        /// The refusal is ambiguous. The answers to later requests decide.
        case doubted
        /// The breaker is open. `isNew` is `true` if it opened for the first time since it was last closed.
        case refused(isNew: Bool)
    }

    private enum State {
        case closed
        case open(until: Int64)
        /// A trial. `probeSince` is the time at which the probe was sent, or `nil` if the next request is the probe.
        case trial(probeSince: Int64?)
    }

    /// The longest time that a request waits for a probe in this process instead of the broker, in milliseconds.
    package static let patienceMilliseconds: Int64 = 5_000
    package static let probeTimeoutMilliseconds: Int64 = 60_000
    /// The time after an accepted request during which ambiguous refusals count against their requests alone, in
    /// milliseconds. If the provider refuses a revoked credential only ambiguously, sending continues for this time,
    /// and each refused push uses an attempt.
    package static let provenMilliseconds: Int64 = 60_000

    /// The minimum time since the last accepted push before stated refusals of several pushes open the breaker, in
    /// milliseconds. If pushes are accepted more often, stated refusals never open it.
    private static let quietMilliseconds: Int64 = 1_000
    /// The time after which continuing stated refusals open the breaker if nothing is accepted meanwhile, in
    /// milliseconds.
    private static let doubtMilliseconds: Int64 = 10_000

    /// The reason for the last opening, or `nil` while the breaker is closed or has never opened.
    package private(set) var reason: String?
    private var openings: Backoff
    private var state = State.closed
    /// The refused pushes that are evidence, collected since the last accepted push. Another ambiguous refusal of one
    /// of these pushes does not open the breaker again.
    private var doubted = DoubtedPushes()
    private var openedAt = Int64.min
    /// The time of the first refusal in ``doubted``, or of the ambiguous refusal that began the trial.
    private var doubtedAt = Int64.min
    /// The time at which the newest request with a stated or global refusal was written.
    private var refusalWrittenAt = Int64.min
    private var lastAcceptedAt = Int64.min
    /// The time at which the newest accepted request was written.
    private var acceptedWrittenAt = Int64.min

    package init(shortestMilliseconds: Int64 = 15_000, longestMilliseconds: Int64 = 900_000) {
        openings = Backoff(
            first: .milliseconds(shortestMilliseconds), longest: .milliseconds(longestMilliseconds), jitter: 0.1)
    }

    package var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Whether the breaker has opened and has not closed since.
    package var isRefused: Bool { openings.failures > 0 }

    /// The length of the last opening in milliseconds, without jitter.
    package var openMilliseconds: Int64 { openings.ceiling.wholeMilliseconds }

    /// Returns the time for which a job's pushes are held in a delay queue, in seconds.
    ///
    /// During a short opening, this is the shortest delay, so that little time is lost in a short outage. During a
    /// longer opening, it is one of two adjacent delays, so that held jobs do not all return in the same second. As a
    /// consequence, a held push may be sent up to 15 minutes after the cause is corrected.
    ///
    /// - Parameter random: A number from 0 up to, but not including, 1, the same for all pushes of a job.
    package func holdSeconds(random: Double) -> Int32 {
        switch openMilliseconds {
        case ...30_000: 30
        case ...120_000: random < 0.5 ? 30 : 120
        default: random < 0.5 ? 120 : 900
        }
    }

    /// The time for which a refused push is held, in seconds. Unsent pushes are usually held for a shorter time, so
    /// that one of them is the next probe.
    package var refusedHoldSeconds: Int32 { openMilliseconds > 30_000 ? 900 : Self.unansweredSeconds }

    /// The time that a push waits if it got no answer while its host or credential was in doubt, in seconds. Unsent
    /// pushes usually wait for a shorter time, so that one of them is the next probe.
    package static let unansweredSeconds: Int32 = 120

    // MARK: Evidence

    /// Returns whether a refusal may concern the refused request alone. This is the case if another request has been
    /// accepted in the last minute or since the refused request was written.
    package func isProven(since writtenAt: Int64, nowMilliseconds now: Int64) -> Bool {
        lastAcceptedAt >= min(writtenAt, now - Self.provenMilliseconds)
    }

    /// Records the refusal of a request.
    ///
    /// - Parameters:
    ///   - writtenAt: The time at which the refused request was written, in milliseconds of the same clock as `now`.
    ///   - random: A number from 0 up to, but not including, 1. It varies the length of the opening by up to a
    ///     tenth, so that workers do not probe at the same time.
    package mutating func refused(
        _ reason: String, _ evidence: Evidence, writtenAt: Int64, nowMilliseconds now: Int64, random: Double
    ) -> Conclusion {
        switch evidence {
        case .global:
            refusalWrittenAt = max(refusalWrittenAt, writtenAt)
            if isOpen(now) || !isClosed && writtenAt <= openedAt { return .refused(isNew: false) }
        case .stated(let push, let isAlone):
            if acceptedWrittenAt > writtenAt { return .requestAtFault }
            if isClosed, isAlone || isProven(since: writtenAt, nowMilliseconds: now) {
                if doubted.isEmpty { doubtedAt = now }
                _ = doubted.insert(push)
                let isSuspected = doubted.areEvidence && now >= lastAcceptedAt + Self.quietMilliseconds
                let isLasting = !isAlone && writtenAt >= doubtedAt + Self.doubtMilliseconds
                guard isSuspected || isLasting else { return .requestAtFault }
            }
            refusalWrittenAt = max(refusalWrittenAt, writtenAt)
            if isOpen(now) || !isClosed && writtenAt <= openedAt { return .refused(isNew: false) }
        case .ambiguous(let push):
            if isProven(since: writtenAt, nowMilliseconds: now) { return .requestAtFault }
            // The request was already on the wire when the trial began or the breaker opened.
            if isOpen(now) || !isClosed && (writtenAt < doubtedAt || writtenAt <= openedAt) { return .doubted }
            if isClosed {
                state = .trial(probeSince: nil)
                doubtedAt = now
            }
            guard doubted.insert(push), isRefused || doubted.areEvidence else { return .doubted }
            refusalWrittenAt = .min
        }
        return open(reason, now, random)
    }

    /// Opens the breaker for a reason that does not come from a single request, such as a silent host.
    ///
    /// - Returns: Whether this is the first opening since the breaker was last closed.
    package mutating func refused(_ reason: String, nowMilliseconds now: Int64, random: Double) -> Bool {
        refused(reason, .global, writtenAt: now, nowMilliseconds: now, random: random) == .refused(isNew: true)
    }

    private func isOpen(_ now: Int64) -> Bool {
        if case .open(let until) = state { now < until } else { false }
    }

    private mutating func open(_ reason: String, _ now: Int64, _ random: Double) -> Conclusion {
        let isNew = !isRefused
        self.reason = reason
        openedAt = now
        state = .open(until: now + openings.failed(random: random).wholeMilliseconds)
        return .refused(isNew: isNew)
    }

    /// Records an accepted request. The request does not close the breaker if it was written before a request with a
    /// stated or global refusal.
    ///
    /// - Returns: Whether this request closed a breaker that had opened.
    package mutating func accepted(writtenAt: Int64, nowMilliseconds now: Int64) -> Bool {
        lastAcceptedAt = now
        acceptedWrittenAt = max(acceptedWrittenAt, writtenAt)
        if isClosed { doubted.removeAll() }
        return !isClosed && writtenAt > refusalWrittenAt && succeeded()
    }

    /// Closes the breaker.
    ///
    /// - Returns: Whether the breaker had opened.
    @discardableResult
    package mutating func succeeded() -> Bool {
        guard !isClosed else { return false }
        defer { openings.succeeded() }
        state = .closed
        reason = nil
        doubted.removeAll()
        refusalWrittenAt = .min
        return isRefused
    }

    // MARK: Admission

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

    /// Returns the admission of a request that will be sent if it is admitted. If the request is the probe, this
    /// records its start.
    package mutating func admit(nowMilliseconds now: Int64) -> Admission {
        let admission = admission(nowMilliseconds: now)
        if admission == .probe { state = .trial(probeSince: now) }
        return admission
    }

    /// Records that the probe has ended. Evidence from the probe, if any, is recorded after this call.
    package mutating func probeWasNone() {
        if case .trial = state { state = .trial(probeSince: nil) }
    }

    /// Returns whether requests must wait now.
    package func holds(nowMilliseconds now: Int64) -> Bool {
        switch admission(nowMilliseconds: now) {
        case .pass, .probe: false
        case .wait, .hold: true
        }
    }
}
