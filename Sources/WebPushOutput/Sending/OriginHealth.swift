import Foundations
import Logging
import PushModel
import PushSending

/// The health of an origin and of the keys that are used for it. This health decides which messages may be sent. If the
/// origin does not answer, only single probes are sent to it. If it refuses a key for an app, only single probes of
/// this app are sent with the key. Used only on the origin's event loop.
final class OriginHealth {
    /// The time in milliseconds for which a disallowed address is remembered. After this time, the origin's name is
    /// looked up again.
    private static let addressMilliseconds: Int64 = 60_000

    private let origin: String
    private let refusals: RefusalFilter
    private let logger: Logger
    private let silenceMilliseconds: Int64
    /// The initial state of every key's breaker.
    private let closedBreaker: Breaker
    // Exclusivity checks are off on this hot path, here and below, because only one thread uses this object.
    @exclusivity(unchecked) private var host: HostHealth
    @exclusivity(unchecked) private var pause = SendPause()
    /// The uptime in milliseconds until which the origin counts as having only disallowed addresses, or `nil`.
    @exclusivity(unchecked) private var forbiddenUntil: Int64?
    private var keys: [KeyAtOrigin.ID: KeyAtOrigin] = [:]
    /// Whether any key is refused, in doubt or above its rate limit.
    @exclusivity(unchecked) private(set) var restrictsJobs = false
    /// The uptime in milliseconds since which other origins have occupied all connections, or `nil`.
    @exclusivity(unchecked) private var crowdedOutSince: Int64?

    init(of origin: String, configuration: WebPushConfiguration, refusals: RefusalFilter, logger: Logger) {
        self.origin = origin
        self.refusals = refusals
        self.logger = logger
        silenceMilliseconds = configuration.silenceMilliseconds
        host = HostHealth(silenceMilliseconds: configuration.silenceMilliseconds)
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

    /// Returns whether a breaker or a pause holds back messages to the origin or with one of its keys at this time.
    func holdsAny(nowMilliseconds now: Int64) -> Bool {
        pause.seconds(nowMilliseconds: now) != nil || host.holds(uptime: now)
            || keys.values.contains {
                $0.pause.seconds(nowMilliseconds: now) != nil || $0.breaker.holds(nowMilliseconds: now)
            }
    }

    // MARK: Answers

    func answered(now: Moment) {
        if host.answered(now: now) { logger.notice(.serviceAnswersAgain, "A push service answers again") }
    }

    func accepted(_ key: KeyAtOrigin, writtenAt: Int64, now: Moment) {
        pause.accepted()
        key.pause.accepted()
        authorized(key, writtenAt: writtenAt, now: now)
    }

    /// Records an answer that shows that the service accepts the key, even if the answer refuses the message.
    func authorized(_ key: KeyAtOrigin, writtenAt: Int64, now: Moment) {
        if key.breaker.accepted(writtenAt: writtenAt, nowMilliseconds: now.uptime) { reportEnd(key) }
    }

    private func reportEnd(_ key: KeyAtOrigin) {
        logger.notice(.keyAccepted, "A push service accepts this VAPID key again", metadata: metadata(of: key))
        refusals.take(.ended(key.subject))
    }

    /// Records a refusal that may concern the key, and returns the consequence for the message.
    ///
    /// - Parameter isAmbiguous: whether the refusal may concern this message alone.
    func refused(
        _ key: KeyAtOrigin, _ sent: PushOnWire, isAmbiguous: Bool, reason: String, now: Moment
    ) -> RefusalConsequence {
        guard !key.isRetired else { return RefusalConsequence(.hold) }
        // A service may give the reason of a refused key although it refuses only one subscription. Therefore such a
        // message is retried if the service has accepted the key recently. This has a price: if a service stops
        // accepting a key, the key stays in use for up to another minute.
        if !isAmbiguous, key.breaker.isProven(since: sent.writtenAt, nowMilliseconds: now.uptime) {
            return RefusalConsequence(.retry)
        }
        key.failed.insert(sent.push.job, nowMilliseconds: now.uptime)
        let conclusion = key.breaker.refused(
            reason, isAmbiguous ? .ambiguous(sent.push.identity) : .stated(sent.push.identity),
            writtenAt: sent.writtenAt, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        restrictsJobs = restrictsJobs || !key.breaker.isClosed
        switch conclusion {
        case .requestAtFault: return RefusalConsequence(isAmbiguous ? .rejected : .retry)
        case .doubted: return RefusalConsequence(.retry)
        case .refused(let isNew):
            if isNew { report(of: key, reason: reason, now: now) }
            if isAmbiguous { return RefusalConsequence(.retry) }
            return RefusalConsequence(refusedBy: key.breaker)
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
    func busy(_ key: KeyAtOrigin, _ sent: PushOnWire, status: Int, reason: String, now: Moment) -> Bool {
        let retryAfterSeconds = sent.retryAfterSeconds
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
        restrictsJobs = true
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

    /// Records that the origin's name has only disallowed addresses.
    func addressRefused(now: Moment) { forbiddenUntil = now.uptime + Self.addressMilliseconds }

    private func metadata(of key: KeyAtOrigin) -> Logger.Metadata { ["credential": "\(key.subject.credential)"] }

    // MARK: Time

    /// Records that other origins occupy all connections. This time does not count as silence of this origin.
    func crowdedOut(now: Moment) {
        host.waits(now: now)
        crowdedOutSince = crowdedOutSince ?? now.uptime
    }

    func hasConnection() { crowdedOutSince = nil }

    /// Returns whether the origin has had no connection for so long that its waiting messages must wait in the broker.
    func isCrowdedOut(now: Moment) -> Bool {
        crowdedOutSince.map { now.uptime - $0 >= silenceMilliseconds } ?? false
    }

    // MARK: End

    /// Removes the keys of retired credentials, so that their waiting messages are returned and routed again.
    func retire(_ isMeant: (Credential.ID) -> Bool) {
        for (id, key) in keys where isMeant(id.credential) {
            key.isRetired = true
            forget(key)
            keys[id] = nil
        }
    }

    private func forget(_ key: KeyAtOrigin) {
        if key.breaker.isRefused { refusals.take(.ended(key.subject)) }
    }
}

extension OriginHealth: SendingHealth {
    private func key(of job: QueuedJob) -> KeyAtOrigin { job.typed(as: OriginJob.self).key }

    // MARK: Admission

    func obstacle(to job: QueuedJob, now: Moment) -> SendObstacle? {
        let key = self.key(of: job)
        // The snapshot that retired the credential is already in use. A returned message is therefore routed again and
        // gets another key.
        if key.isRetired { return SendObstacle(.returned) }
        if let forbiddenUntil, now.uptime < forbiddenUntil {
            return SendObstacle(.rejected, reason: WebPushFault.addressNotAllowed.reason)
        }
        if key.breaker.admission(nowMilliseconds: now.uptime) == .hold {
            return SendObstacle(key.breaker, holding: job)
        }
        return obstacle(key.pause, now) ?? obstacle(pause, now) ?? host.obstacle(to: job, now: now)
    }

    private func obstacle(_ pause: SendPause, _ now: Moment) -> SendObstacle? {
        guard let wait = pause.milliseconds(nowMilliseconds: now.uptime), wait > Breaker.patienceMilliseconds else {
            return nil
        }
        return SendObstacle(.hold, reason: pause.reason, seconds: Int32(clamping: (wait + 999) / 1_000))
    }

    func admission(uptime now: Int64) -> Breaker.Admission {
        let admission = host.isClosed ? .pass : host.admission(uptime: now)
        return pause.milliseconds(nowMilliseconds: now) != nil && admission != .hold ? .wait : admission
    }

    func lets(_ job: QueuedJob, uptime now: Int64) -> Bool {
        let key = self.key(of: job)
        return !key.breaker.holds(nowMilliseconds: now) && key.pause.milliseconds(nowMilliseconds: now) == nil
    }

    func rank(_ job: QueuedJob) -> Int {
        let key = self.key(of: job)
        return host.isClosed && key.breaker.isClosed ? 0 : key.failed.rank(job)
    }

    func sharesProbe(_ job: QueuedJob, with other: QueuedJob) -> Bool {
        !host.isClosed || key(of: job) === key(of: other)
    }

    func admit(_ job: QueuedJob, uptime now: Int64) -> Bool {
        let key = self.key(of: job)
        if host.isClosed, key.breaker.isClosed { return false }
        let admissions = [host.admit(uptime: now), key.breaker.admit(nowMilliseconds: now)]
        return admissions.contains(.probe)
    }

    func probeEnded(_ job: QueuedJob) {
        host.probeEnded()
        key(of: job).breaker.probeWasNone()
    }

    // MARK: The host

    func waitBegins(now: Moment) {
        host.waits(now: now)
        crowdedOutSince = nil
    }

    func requestFailed(_ job: QueuedJob, now: Moment) {
        key(of: job).failed.insert(job, nowMilliseconds: now.uptime)
    }

    func requestTimedOut(_ push: PushIdentity, writtenAt: Int64, now: Moment) {
        if host.timedOut(push, writtenAt: writtenAt, now: now) { logSilence() }
    }

    func connectFailed(now: Moment) { host.connectFailed(now: now) }

    func look(now: Moment) {
        if host.look(admission(uptime: now.uptime), now: now) { logSilence() }
    }

    private func logSilence() {
        logger.warning(
            .serviceSilent, "A push service has stopped answering; its messages wait in the broker")
    }

    // MARK: Closing

    func tick(now: Moment) {
        for key in keys.values {
            key.failed.tick(isHealthy: host.isClosed && key.breaker.isClosed, nowMilliseconds: now.uptime)
        }
        guard restrictsJobs else { return }
        restrictsJobs = keys.values.contains {
            !$0.breaker.isClosed || $0.pause.milliseconds(nowMilliseconds: now.uptime) != nil
        }
    }

    func forget() {
        for key in keys.values { forget(key) }
        keys = [:]
    }
}
