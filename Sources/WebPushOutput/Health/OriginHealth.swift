import EventNames
import Logging
import PushModel
import PushSending

/// What is not sent to an origin, because it does not answer, has too much to do, or refuses a key: it waits in the
/// broker, but for a message now and then that finds out whether it still is so. On the origin's event loop.
final class OriginHealth {
    /// Why a message can't go now.
    struct Obstacle {
        let verdict: Outcome.Verdict
        let reason: String?
        let seconds: Int32
    }

    /// What waits with one key, or whatever waits.
    enum Braked {
        case key
        case origin
    }

    private let origin: String
    private let refusals: RefusalDesk
    private let logger: Logger
    private let silenceMilliseconds: Int64
    /// What the breakers of keys begin as.
    private let closedBreaker: Breaker
    /// Of an origin that does not answer, or lets nobody in.
    // One owner, one thread: nothing for exclusivity checks to find on the hot path, here and below.
    @exclusivity(unchecked) private var host = Breaker(shortestMilliseconds: 5_000, longestMilliseconds: 60_000)
    @exclusivity(unchecked) private var brake = Brake()
    private var keys: [Credential.ID: KeyAtOrigin] = [:]
    /// Uptime of the last answer, or of the beginning of the wait for it.
    @exclusivity(unchecked) private var lastProgress: Int64 = 0
    /// Uptime since when others have all connections.
    @exclusivity(unchecked) private var crowdedOutSince: Int64?

    init(of origin: String, configuration: WebPushConfiguration, refusals: RefusalDesk, logger: Logger) {
        self.origin = origin
        self.refusals = refusals
        self.logger = logger
        silenceMilliseconds = configuration.silenceMilliseconds
        closedBreaker = Breaker(shortestMilliseconds: configuration.breakMilliseconds)
    }

    func key(of credential: Credential.ID) -> KeyAtOrigin {
        if let known = keys[credential] { return known }
        let new = KeyAtOrigin(of: credential, at: origin, breaker: closedBreaker)
        keys[credential] = new
        return new
    }

    // MARK: Whether a message may go

    func obstacle(to key: KeyAtOrigin, now: Moment) -> Obstacle? {
        // Outputs hear of a retirement from the snapshot that routes anew what comes back.
        if key.isRetired { return Obstacle(verdict: .returned, reason: nil, seconds: 0) }
        if key.breaker.holds(nowMilliseconds: now.uptime) {
            return Obstacle(verdict: .hold, reason: key.breaker.reason, seconds: key.breaker.holdSeconds)
        }
        for brake in [key.brake, brake] {
            guard let seconds = brake.seconds(nowMilliseconds: now.uptime) else { continue }
            return Obstacle(verdict: .retry, reason: brake.reason, seconds: seconds)
        }
        guard host.holds(nowMilliseconds: now.uptime) else { return nil }
        return Obstacle(verdict: .retry, reason: host.reason, seconds: 0)
    }

    /// Without an obstacle, breakers that are not closed are due for a probe, and one message with this key is it.
    func admitsAsProbe(_ key: KeyAtOrigin, now: Moment) -> Bool {
        let admissions = [
            host.admit(nowMilliseconds: now.uptime), key.breaker.admit(nowMilliseconds: now.uptime),
        ]
        return admissions.contains(.probe)
    }

    /// The probe has found out nothing, so that another may go.
    func probeWasNone(_ key: KeyAtOrigin) {
        host.probeWasNone()
        key.breaker.probeWasNone()
    }

    /// Whether anything is refused at this time, or has too much to do.
    func holdsAny(nowMilliseconds now: Int64) -> Bool {
        brake.seconds(nowMilliseconds: now) != nil || host.holds(nowMilliseconds: now)
            || keys.values.contains {
                $0.brake.seconds(nowMilliseconds: now) != nil || $0.breaker.holds(nowMilliseconds: now)
            }
    }

    // MARK: What answers say

    func answered(now: Moment) {
        lastProgress = now.uptime
        if host.succeeded() { logger.notice(.serviceAnswersAgain, "A push service answers again") }
    }

    func accepted(_ key: KeyAtOrigin) {
        brake.accepted()
        key.brake.accepted()
        key.trust.accepted()
        authorized(key)
    }

    /// The answer is about the message, not about the key.
    func authorized(_ key: KeyAtOrigin) {
        if key.breaker.succeeded() {
            logger.notice(.keyAccepted, "A push service accepts this VAPID key again", metadata: metadata(of: key))
            refusals.take(.ended(key.subject))
        }
    }

    func refuse(_ key: KeyAtOrigin, reason: String, now: Moment) {
        guard !key.isRetired, key.breaker.refused(reason, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        else { return }
        logger.warning(
            .keyRefused, "A push service refuses this VAPID key, its messages there wait",
            metadata: metadata(of: key).merging([
                "reason": "\(reason)", "next_probe_in_s": "\(key.breaker.openMilliseconds / 1_000)",
            ]) { $1 })
        refusals.take(.began(Refusal(subject: key.subject, reason: reason, since: now.wall)))
    }

    /// A service says so of one sender, and only with 503 of itself; also where it is said of two at a time.
    ///
    /// - Returns: what is not to be sent any more for a while, if this has begun it.
    func busy(
        _ key: KeyAtOrigin, status: Int, reason: String, retryAfterSeconds: Int32, now: Moment
    ) -> Braked? {
        let random = Double.random(in: 0..<1)
        if status == 503 {
            let begins = brake.refused(
                reason, retryAfterSeconds: retryAfterSeconds, nowMilliseconds: now.uptime, random: random)
            return begins ? begun(.origin, brake, now) : nil
        }
        let begins = key.brake.refused(
            reason, retryAfterSeconds: retryAfterSeconds, nowMilliseconds: now.uptime, random: random)
        guard begins else { return nil }
        let isAlone = !keys.values.contains { $0 !== key && $0.brake.seconds(nowMilliseconds: now.uptime) != nil }
        if isAlone { return begun(.key, key.brake, now) }
        brake.begin(reason, retryAfterSeconds: retryAfterSeconds, nowMilliseconds: now.uptime, random: random)
        return begun(.origin, brake, now)
    }

    private func begun(_ braked: Braked, _ brake: Brake, _ now: Moment) -> Braked {
        logger.notice(
            .serviceBusy, "A push service has too much to do, what waits for it is put back",
            metadata: [
                "reason": "\(brake.reason ?? "-")", "of": braked == .key ? "one VAPID key" : "all",
                "seconds": "\(brake.seconds(nowMilliseconds: now.uptime) ?? 0)",
            ])
        return braked
    }

    /// Nobody is let in.
    func closed(now: Moment) {
        _ = host.refused(SendingReason.connectionFailed, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
    }

    private func metadata(of key: KeyAtOrigin) -> Logger.Metadata { ["credential": "\(key.subject.credential)"] }

    // MARK: Time

    /// Something waits now, and nothing did.
    func waitBegins(now: Moment) {
        lastProgress = now.uptime
        crowdedOutSince = nil
    }

    /// Others have all connections: no fault of this origin's.
    func crowdedOut(now: Moment) {
        lastProgress = now.uptime
        crowdedOutSince = crowdedOutSince ?? now.uptime
    }

    func hasConnection() { crowdedOutSince = nil }

    /// There has been no connection for so long that what waits is to be tried again later.
    func isCrowdedOut(now: Moment) -> Bool {
        crowdedOutSince.map { now.uptime - $0 >= silenceMilliseconds } ?? false
    }

    /// Nothing has been answered for so long that what waits is to be tried again later.
    func isSilent(now: Moment) -> Bool {
        guard now.uptime - lastProgress >= silenceMilliseconds else { return false }
        if host.refused("NoAnswer", nowMilliseconds: now.uptime, random: .random(in: 0..<1)) {
            logger.warning(.serviceSilent, "A push service has not answered for a while, what waits is put back")
        }
        return true
    }

    // MARK: The end

    /// Retired credentials: what waits with them is returned.
    func retire(_ isMeant: (Credential.ID) -> Bool) {
        for (id, key) in keys where isMeant(id) {
            key.isRetired = true
            forget(key)
            keys[id] = nil
        }
    }

    /// Nobody will find out any more what is refused.
    func forget() {
        for key in keys.values { forget(key) }
        keys = [:]
    }

    private func forget(_ key: KeyAtOrigin) {
        if !key.breaker.isClosed { refusals.take(.ended(key.subject)) }
    }
}
