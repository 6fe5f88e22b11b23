import Logging
import PushModel

/// What a pool does not send, because APNs has refused its like, or has not answered: it waits in the broker, but for a
/// push now and then that finds out whether it still is so. On the pool's event loop.
final class PoolHealth {
    /// Why a push can't go now.
    struct Obstacle {
        let verdict: Outcome.Verdict
        let reason: String?
        let seconds: Int32
    }

    /// What an answer is about; a topic is one of a credential, and what is accepted for it accepts the credential.
    enum Subject {
        case credential
        case topic
    }

    /// Publishers may name topics without end; those in use keep their health with their jobs.
    private static let topicsKept = 1_000

    private let subject: Refusal.Subject
    private let refusals: @Sendable (Refusal.Event) -> Void
    private let logger: Logger
    private let silenceMilliseconds: Int64
    /// Of the credential as a whole.
    private var credential: Breaker
    /// What the breakers of topics begin as.
    private let closedBreaker: Breaker
    /// Of a host that does not answer.
    private var host = Breaker(shortestMilliseconds: 5_000, longestMilliseconds: 60_000)
    private var topics: [String: TopicHealth] = [:]
    /// Uptime of the last answer, or of the beginning of the wait for it.
    private var lastProgress: Int64 = 0
    private var isReturningAll = false

    init(
        of subject: Refusal.Subject, configuration: APNSConfiguration,
        refusals: @escaping @Sendable (Refusal.Event) -> Void, logger: Logger
    ) {
        self.subject = subject
        self.refusals = refusals
        self.logger = logger
        silenceMilliseconds = configuration.silenceMilliseconds
        closedBreaker = Breaker(shortestMilliseconds: configuration.breakMilliseconds)
        credential = closedBreaker
    }

    // MARK: Whether a push may go

    func topic(of job: PreparedJob) -> TopicHealth {
        // Broadcasts may be forbidden to an app whose pushes are not.
        let topic = job.request.channelID == nil ? job.request.topic : "\(job.request.topic) (broadcasts)"
        if let known = topics[topic] { return known }
        let new = TopicHealth(topic: topic, breaker: closedBreaker)
        topics[topic] = new
        return new
    }

    func obstacle(to job: PreparedJob, now: Moment) -> Obstacle? {
        // Outputs hear of a retirement from the snapshot that routes anew what comes back.
        if isReturningAll { return Obstacle(verdict: .returned, reason: nil, seconds: 0) }
        if credential.holds(nowMilliseconds: now.uptime) { return obstacle(credential, .hold) }
        if let health = job.health, health.breaker.holds(nowMilliseconds: now.uptime) {
            return obstacle(health.breaker, .hold)
        }
        return host.holds(nowMilliseconds: now.uptime) ? obstacle(host, .retry) : nil
    }

    private func obstacle(_ breaker: Breaker, _ verdict: Outcome.Verdict) -> Obstacle {
        Obstacle(verdict: verdict, reason: breaker.reason, seconds: verdict == .hold ? breaker.holdSeconds : 0)
    }

    /// Without an obstacle, breakers that are not closed are due for a probe, and one push of this job is it.
    func admitsAsProbe(_ job: PreparedJob, now: Moment) -> Bool {
        let admissions = [
            host.admit(nowMilliseconds: now.uptime), credential.admit(nowMilliseconds: now.uptime),
            job.health?.breaker.admit(nowMilliseconds: now.uptime),
        ]
        return admissions.contains(.probe)
    }

    // MARK: What answers say

    func refuse(_ what: Subject, by job: PreparedJob, reason: String, now: Moment) {
        switch what {
        case .credential: refuseCredential(reason: reason, now: now)
        case .topic:
            guard let health = job.health else { return }
            let isNew = health.breaker.refused(reason, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
            if isNew { tell(of: health.breaker, subject(health), now: now) }
        }
    }

    func refuseCredential(reason: String, now: Moment) {
        let isNew = credential.refused(reason, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        if isNew { tell(of: credential, subject, now: now) }
    }

    /// A push was accepted, or refused for a reason that shows that this is not what was refused.
    func accepted(_ what: Subject, _ job: PreparedJob) {
        if credential.succeeded() { tellOfEnd(subject) }
        if what == .topic, let health = job.health, health.breaker.succeeded() { tellOfEnd(subject(health)) }
    }

    func hostAnswered(now: Moment) {
        lastProgress = now.uptime
        if host.succeeded() { logger.notice("APNs answers again") }
    }

    /// Something waits now, and nothing did.
    func waitBegins(now: Moment) { lastProgress = now.uptime }

    // MARK: Once a second

    /// Nothing has been answered for so long that what waits is to be tried again later.
    func isSilent(now: Moment) -> Bool {
        guard now.uptime - lastProgress >= silenceMilliseconds else { return false }
        let isNew = host.refused("NoAnswer", nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        if isNew { logger.warning("APNs has not answered for a while, what waits is put back") }
        return true
    }

    func forgetTopics() {
        guard topics.count > Self.topicsKept else { return }
        topics = topics.filter { !$0.value.breaker.isClosed }
    }

    // MARK: The end

    /// Nothing may go any more.
    func returnAll() { isReturningAll = true }

    /// Nobody will find out any more what is refused.
    func forget() {
        if !credential.isClosed { refusals(.ended(subject)) }
        for health in topics.values where !health.breaker.isClosed { refusals(.ended(subject(health))) }
    }

    private func tell(of breaker: Breaker, _ subject: Refusal.Subject, now: Moment) {
        guard let reason = breaker.reason else { return }
        logger.warning(
            "APNs refuses this credential, its jobs wait",
            metadata: [
                "reason": "\(reason)", "topic": "\(subject.topic ?? "all")",
                "next_probe_in_s": "\(breaker.openMilliseconds / 1000)",
            ])
        refusals(.began(Refusal(subject: subject, reason: reason, since: now.wall)))
    }

    private func tellOfEnd(_ subject: Refusal.Subject) {
        logger.notice("APNs accepts this credential again", metadata: ["topic": "\(subject.topic ?? "all")"])
        refusals(.ended(subject))
    }

    private func subject(_ health: TopicHealth) -> Refusal.Subject {
        Refusal.Subject(credential: subject.credential, environment: subject.environment, topic: health.topic)
    }
}
