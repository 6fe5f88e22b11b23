import Foundations
import Logging
import PushModel
import PushSending

/// The health of an origin and of the keys used there, which decides which messages may be sent. If the origin does not
/// answer or refuses a key, only single probes are sent. Used only on the origin's event loop.
final class OriginHealth {
    /// An outcome for a message that cannot wait in this process. Waiting in the broker uses no attempt.
    struct Obstacle {
        let verdict: Outcome.Verdict
        let reason: String?
        /// The minimum delay in the broker, in seconds.
        var seconds: Int32 = 0
    }

    /// The outcome for a message whose refusal may concern its key.
    struct Consequence {
        let verdict: Outcome.Verdict
        /// The minimum delay before the next attempt, in seconds.
        var seconds: Int32 = 0
    }

    /// The time in milliseconds for which a disallowed address is remembered. After it, the origin's name is looked up
    /// again.
    private static let addressMilliseconds: Int64 = 60_000

    private let origin: String
    private let refusals: RefusalFilter
    private let logger: Logger
    private let silenceMilliseconds: Int64
    /// The initial state of every key's breaker.
    private let closedBreaker: Breaker
    /// The breaker that opens if the origin does not answer or accepts no connection.
    // Only one thread uses this object, so exclusivity checks on the hot path could find nothing, here and below.
    @exclusivity(unchecked) private var host = Breaker(shortestMilliseconds: 5_000, longestMilliseconds: 60_000)
    @exclusivity(unchecked) private var pause = SendPause()
    /// The uptime in milliseconds until which the origin counts as having only disallowed addresses, or `nil`.
    @exclusivity(unchecked) private var forbiddenUntil: Int64?
    private var keys: [KeyAtOrigin.ID: KeyAtOrigin] = [:]
    /// Whether any key is refused, in doubt or above its rate limit.
    @exclusivity(unchecked) private(set) var restrictsKeys = false
    /// The uptime in milliseconds of the last answer, or of the time when messages began to wait for one.
    @exclusivity(unchecked) private var lastProgress: Int64 = 0
    @exclusivity(unchecked) private var silence = HostSilence()
    /// The uptime in milliseconds since which other origins have occupied all connections, or `nil`.
    @exclusivity(unchecked) private var crowdedOutSince: Int64?

    init(of origin: String, configuration: WebPushConfiguration, refusals: RefusalFilter, logger: Logger) {
        self.origin = origin
        self.refusals = refusals
        self.logger = logger
        silenceMilliseconds = configuration.silenceMilliseconds
        closedBreaker = Breaker(shortestMilliseconds: configuration.breakMilliseconds)
    }

    /// Returns the health of a key for one app at this origin, and creates it if necessary.
    ///
    /// - Parameter app: the app whose messages use the key.
    func key(of credential: Credential.ID, app: String) -> KeyAtOrigin {
        let id = KeyAtOrigin.ID(credential: credential, app: app)
        if let known = keys[id] { return known }
        let new = KeyAtOrigin(id, at: origin, breaker: closedBreaker)
        keys[id] = new
        return new
    }

    // MARK: Admission

    /// Returns the outcome of a message that cannot wait here to be sent, or `nil` if it can wait.
    func obstacle(to job: OriginJob, now: Moment) -> Obstacle? {
        let key = job.key
        // The snapshot that retired the credential is already in use. A returned message is therefore routed again and
        // gets another key.
        if key.isRetired { return Obstacle(verdict: .returned, reason: nil) }
        if let forbiddenUntil, now.uptime < forbiddenUntil {
            return Obstacle(verdict: .rejected, reason: WebPushFault.addressNotAllowed.reason)
        }
        if key.breaker.admission(nowMilliseconds: now.uptime) == .hold { return obstacle(key.breaker, job) }
        if let obstacle = obstacle(key.pause, now) ?? obstacle(pause, now) { return obstacle }
        return host.admission(nowMilliseconds: now.uptime) == .hold ? obstacle(host, job) : nil
    }

    private func obstacle(_ pause: SendPause, _ now: Moment) -> Obstacle? {
        guard let wait = pause.milliseconds(nowMilliseconds: now.uptime), wait > Breaker.patienceMilliseconds else {
            return nil
        }
        return Obstacle(verdict: .hold, reason: pause.reason, seconds: Int32(clamping: (wait + 999) / 1_000))
    }

    private func obstacle(_ breaker: Breaker, _ job: OriginJob) -> Obstacle {
        Obstacle(
            verdict: .hold, reason: breaker.reason ?? Outcome.noAnswer,
            seconds: breaker.holdSeconds(random: job.holdRandom))
    }

    /// Returns whether messages to the origin may be sent, regardless of their key.
    func admission(uptime now: Int64) -> Breaker.Admission {
        let admission = host.isClosed ? .pass : host.admission(nowMilliseconds: now)
        return pause.milliseconds(nowMilliseconds: now) != nil && admission != .hold ? .wait : admission
    }

    /// Returns whether messages with the key may be sent, after ``admission(uptime:)`` has admitted them.
    func lets(_ key: KeyAtOrigin, uptime now: Int64) -> Bool {
        !key.breaker.holds(nowMilliseconds: now) && key.pause.milliseconds(nowMilliseconds: now) == nil
    }

    /// Records that a message is sent. ``lets(_:uptime:)`` must have allowed it.
    ///
    /// - Returns: whether the message is a probe.
    func admit(_ key: KeyAtOrigin, uptime now: Int64) -> Bool {
        if host.isClosed, key.breaker.isClosed { return false }
        let admissions = [host.admit(nowMilliseconds: now), key.breaker.admit(nowMilliseconds: now)]
        return admissions.contains(.probe)
    }

    /// Records that a probe has left the wire. Its result, if there is one, is recorded separately.
    func probeEnded(_ key: KeyAtOrigin) {
        host.probeWasNone()
        key.breaker.probeWasNone()
    }

    /// Returns whether a breaker or a brake holds back the origin or one of its keys at this time.
    func holdsAny(nowMilliseconds now: Int64) -> Bool {
        pause.seconds(nowMilliseconds: now) != nil || host.holds(nowMilliseconds: now)
            || keys.values.contains {
                $0.pause.seconds(nowMilliseconds: now) != nil || $0.breaker.holds(nowMilliseconds: now)
            }
    }

    // MARK: Answers

    func answered(now: Moment) {
        lastProgress = now.uptime
        silence.answered(nowMilliseconds: now.uptime)
        if host.succeeded() { logger.notice(.serviceAnswersAgain, "A push service answers again") }
    }

    func accepted(_ sent: MessageOnWire, now: Moment) {
        let key = sent.push.part.key
        pause.accepted()
        key.pause.accepted()
        if key.breaker.accepted(writtenAt: sent.writtenAt, nowMilliseconds: now.uptime) { reportEnd(key) }
    }

    /// Records an answer that refuses the message but shows that the service accepts the key.
    func authorized(_ sent: MessageOnWire, now: Moment) {
        let key = sent.push.part.key
        if key.breaker.accepted(writtenAt: sent.writtenAt, nowMilliseconds: now.uptime) { reportEnd(key) }
    }

    private func reportEnd(_ key: KeyAtOrigin) {
        logger.notice(.keyAccepted, "A push service accepts this VAPID key again", metadata: metadata(of: key))
        refusals.take(.ended(key.subject))
    }

    /// Records a refusal that may concern the key, and returns the consequence for the message.
    ///
    /// - Parameter isAmbiguous: whether the refusal may concern this message alone.
    func refused(_ sent: MessageOnWire, isAmbiguous: Bool, reason: String, now: Moment) -> Consequence {
        let key = sent.push.part.key
        guard !key.isRetired else { return Consequence(verdict: .hold) }
        // A service may give the reason of a refused key although it refuses only one subscription. This has a price:
        // if a service stops accepting a key, the key stays in use for up to another minute.
        if !isAmbiguous, key.breaker.isProven(since: sent.writtenAt, nowMilliseconds: now.uptime) {
            return Consequence(verdict: .retry)
        }
        key.lastRefusedJob = sent.push.job.routed.job.id
        let conclusion = key.breaker.refused(
            reason, isAmbiguous ? .ambiguous(sent.push.identity) : .stated, writtenAt: sent.writtenAt,
            nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        restrictsKeys = restrictsKeys || !key.breaker.isClosed
        switch conclusion {
        case .requestAtFault: return Consequence(verdict: isAmbiguous ? .rejected : .retry)
        case .doubted: return Consequence(verdict: .retry)
        case .refused(let isNew):
            if isNew { report(of: key, reason: reason, now: now) }
            if isAmbiguous { return Consequence(verdict: .retry) }
            let seconds =
                sent.push.isProbe
                ? key.breaker.probeHoldSeconds : key.breaker.holdSeconds(random: sent.push.job.holdRandom)
            return Consequence(verdict: .hold, seconds: seconds)
        }
    }

    private func report(of key: KeyAtOrigin, reason: String, now: Moment) {
        logger.warning(
            .keyRefused, "A push service refuses this VAPID key; its messages there wait",
            metadata: metadata(of: key).merging([
                "reason": "\(reason)", "next_probe_in_s": "\(key.breaker.openMilliseconds / 1_000)",
            ]) { $1 })
        refusals.take(.began(Refusal(subject: key.subject, reason: reason, since: now.wall)))
    }

    /// Records that a service refused a message because of overload or a rate limit. A 503 concerns the whole service.
    /// Another status concerns one app's use of one key, unless another key is paused at the same time.
    ///
    /// - Returns: whether a pause begins.
    func busy(_ sent: MessageOnWire, status: Int, reason: String, now: Moment) -> Bool {
        let (key, retryAfterSeconds) = (sent.push.part.key, sent.retryAfterSeconds)
        let random = Double.random(in: 0..<1)
        func refuses(_ pause: inout SendPause) -> Bool {
            pause.refused(
                reason, by: sent.push.identity.address, retryAfterSeconds: retryAfterSeconds,
                nowMilliseconds: now.uptime, random: random)
        }
        if status == 503 {
            guard refuses(&pause) else { return false }
            reportPause(pause, of: "all", askedFor: retryAfterSeconds, now)
            return true
        }
        guard refuses(&key.pause) else { return false }
        restrictsKeys = true
        let isAlone = !keys.values.contains {
            $0.id.credential != key.id.credential && $0.pause.seconds(nowMilliseconds: now.uptime) != nil
        }
        if isAlone {
            reportPause(key.pause, of: "one VAPID key", askedFor: retryAfterSeconds, now)
        } else {
            pause.begin(reason, retryAfterSeconds: retryAfterSeconds, nowMilliseconds: now.uptime, random: random)
            reportPause(pause, of: "all", askedFor: retryAfterSeconds, now)
        }
        return true
    }

    /// Logs that a pause begins.
    ///
    /// - Parameter askedFor: the delay in seconds that the service asks for, or 0 if it asks for none. It may exceed
    ///   ``SendPause/longestSeconds``.
    private func reportPause(_ pause: SendPause, of what: String, askedFor: Int32, _ now: Moment) {
        logger.notice(
            .serviceBusy, "A push service is overloaded; its messages are retried later",
            metadata: [
                "reason": "\(pause.reason ?? "-")", "of": "\(what)",
                "seconds": "\(pause.seconds(nowMilliseconds: now.uptime) ?? 0)",
                "asked_for": "\(askedFor > 0 ? String(askedFor) : "-")",
            ])
    }

    /// Records that a connection could not be made and that no other connection is pending or open.
    func connectFailed(now: Moment) {
        _ = host.refused(Outcome.connectionFailed, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
    }

    /// Records that a request got no answer in time. If the host counts as silent, its breaker opens, for longer each
    /// time.
    func requestTimedOut(_ push: PushIdentity, writtenAt: Int64, now: Moment) {
        let isSilent = silence.timedOut(push, writtenAt: writtenAt, isKnownSilent: host.isRefused)
        if isSilent { openHost(Outcome.noAnswer, now: now) }
    }

    /// Records that the origin's name has only disallowed addresses.
    func addressRefused(now: Moment) { forbiddenUntil = now.uptime + Self.addressMilliseconds }

    private func metadata(of key: KeyAtOrigin) -> Logger.Metadata { ["credential": "\(key.subject.credential)"] }

    // MARK: Time

    /// Records that a message begins to wait and that no message was waiting before.
    func waitBegins(now: Moment) {
        lastProgress = now.uptime
        crowdedOutSince = nil
    }

    /// Records that other origins occupy all connections. This time does not count as silence of this origin.
    func crowdedOut(now: Moment) {
        lastProgress = now.uptime
        crowdedOutSince = crowdedOutSince ?? now.uptime
    }

    func hasConnection() { crowdedOutSince = nil }

    /// Returns whether the origin has had no connection for so long that its waiting messages must wait in the broker.
    func isCrowdedOut(now: Moment) -> Bool {
        crowdedOutSince.map { now.uptime - $0 >= silenceMilliseconds } ?? false
    }

    /// Clears ``restrictsKeys`` if no key is restricted at present. Called once a second.
    func forgetRestrictions(now: Moment) {
        guard restrictsKeys else { return }
        restrictsKeys = keys.values.contains {
            !$0.breaker.isClosed || $0.pause.milliseconds(nowMilliseconds: now.uptime) != nil
        }
    }

    /// Opens the origin's breaker if messages are waiting and the origin has sent no answer for too long. The caller
    /// must then settle the waiting messages that cannot wait here.
    func look(now: Moment) {
        let admission = admission(uptime: now.uptime)
        // Messages that wait for a probe's result or for the end of a pause are not waiting for the origin.
        guard admission == .pass || admission == .probe else { return lastProgress = now.uptime }
        let patience = admission == .pass ? silenceMilliseconds : Breaker.patienceMilliseconds
        guard now.uptime - lastProgress >= patience else { return }
        openHost(Outcome.noAnswer, now: now)
    }

    private func openHost(_ reason: String, now: Moment) {
        if host.refused(reason, nowMilliseconds: now.uptime, random: .random(in: 0..<1)) {
            logger.warning(
                .serviceSilent, "A push service has stopped answering; its messages wait in the broker")
        }
    }

    // MARK: End

    /// Removes retired credentials. Their waiting messages are returned.
    func retire(_ isMeant: (Credential.ID) -> Bool) {
        for (id, key) in keys where isMeant(id.credential) {
            key.isRetired = true
            forget(key)
            keys[id] = nil
        }
    }

    /// Reports all refusals as ended, because no answer can end them later.
    func forget() {
        for key in keys.values { forget(key) }
        keys = [:]
    }

    private func forget(_ key: KeyAtOrigin) {
        if key.breaker.isRefused { refusals.take(.ended(key.subject)) }
    }
}
