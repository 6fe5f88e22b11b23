import EventNames
package import Logging
package import PushModel

/// What a pool does not send, because the provider has refused its like, or has not answered: it waits in the broker, but for a
/// push now and then that finds out whether it still is so. On the pool's event loop.
package final class PoolHealth {
    /// Why a push can't go now.
    package struct Obstacle {
        package let verdict: Outcome.Verdict
        package let reason: String?
        package let seconds: Int32
    }

    /// What an answer is about; a topic is one of a credential, and what is accepted for it accepts the credential.
    package enum Subject {
        case credential
        case topic
    }

    /// Publishers may name topics without end; those in use keep their health with their jobs.
    private static let topicsKept = 1_000

    /// What the log calls the provider.
    private let service: String
    private let subject: Refusal.Subject
    private let refusals: @Sendable (Refusal.Event) -> Void
    private let logger: Logger
    private let silenceMilliseconds: Int64
    // One owner, one thread: nothing for exclusivity checks to find on the hot path, here and below.
    /// Of the credential as a whole.
    @exclusivity(unchecked) private var credential: Breaker
    /// What the breakers of topics begin as.
    private let closedBreaker: Breaker
    /// Of a host that does not answer.
    @exclusivity(unchecked) private var host = Breaker(shortestMilliseconds: 5_000, longestMilliseconds: 60_000)
    private var topics: [String: TopicHealth] = [:]
    /// Uptime of the last answer, or of the beginning of the wait for it.
    @exclusivity(unchecked) private var lastProgress: Int64 = 0
    private var isReturningAll = false

    /// - Parameters:
    ///   - breakMilliseconds: how long something that is refused is first left alone.
    ///   - silenceMilliseconds: so long may pushes wait while nothing at all is answered.
    package init(
        of subject: Refusal.Subject, service: String, breakMilliseconds: Int64, silenceMilliseconds: Int64,
        refusals: @escaping @Sendable (Refusal.Event) -> Void, logger: Logger
    ) {
        self.service = service
        self.subject = subject
        self.refusals = refusals
        self.logger = logger
        self.silenceMilliseconds = silenceMilliseconds
        closedBreaker = Breaker(shortestMilliseconds: breakMilliseconds)
        credential = closedBreaker
    }

    // MARK: Whether a push may go

    package func topic(_ name: String) -> TopicHealth {
        if let known = topics[name] { return known }
        let new = TopicHealth(topic: name, breaker: closedBreaker)
        topics[name] = new
        return new
    }

    package func obstacle(to topic: TopicHealth? = nil, now: Moment) -> Obstacle? {
        // Outputs hear of a retirement from the snapshot that routes anew what comes back.
        if isReturningAll { return Obstacle(verdict: .returned, reason: nil, seconds: 0) }
        if credential.holds(nowMilliseconds: now.uptime) { return obstacle(credential, .hold) }
        if let topic, topic.breaker.holds(nowMilliseconds: now.uptime) { return obstacle(topic.breaker, .hold) }
        return host.holds(nowMilliseconds: now.uptime) ? obstacle(host, .retry) : nil
    }

    private func obstacle(_ breaker: Breaker, _ verdict: Outcome.Verdict) -> Obstacle {
        Obstacle(verdict: verdict, reason: breaker.reason, seconds: verdict == .hold ? breaker.holdSeconds : 0)
    }

    /// Without an obstacle, breakers that are not closed are due for a probe, and one push to this topic is it.
    package func admitsAsProbe(_ topic: TopicHealth? = nil, now: Moment) -> Bool {
        let admissions = [
            host.admit(nowMilliseconds: now.uptime), credential.admit(nowMilliseconds: now.uptime),
            topic?.breaker.admit(nowMilliseconds: now.uptime),
        ]
        return admissions.contains(.probe)
    }

    /// The probe has found out nothing, so that another may go.
    package func probeWasNone(_ topic: TopicHealth? = nil) {
        host.probeWasNone()
        credential.probeWasNone()
        topic?.breaker.probeWasNone()
    }

    // MARK: What answers say

    package func refuse(_ what: Subject, by topic: TopicHealth? = nil, reason: String, now: Moment) {
        switch what {
        case .credential: refuseCredential(reason: reason, now: now)
        case .topic:
            guard let topic else { return }
            let isNew = topic.breaker.refused(reason, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
            if isNew { tell(of: topic.breaker, subject(topic), now: now) }
        }
    }

    package func refuseCredential(reason: String, now: Moment) {
        let isNew = credential.refused(reason, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        if isNew { tell(of: credential, subject, now: now) }
    }

    /// A push was accepted, or refused for a reason that shows that this is not what was refused.
    package func accepted(_ what: Subject, _ topic: TopicHealth? = nil) {
        if credential.succeeded() { tellOfEnd(subject) }
        if what == .topic, let topic, topic.breaker.succeeded() { tellOfEnd(subject(topic)) }
    }

    package func hostAnswered(now: Moment) {
        lastProgress = now.uptime
        if host.succeeded() { logger.notice(.hostAnswersAgain, "\(service) answers again") }
    }

    /// Something waits now, and nothing did.
    package func waitBegins(now: Moment) { lastProgress = now.uptime }

    // MARK: Once a second

    /// Nothing has been answered for so long that what waits is to be tried again later.
    package func isSilent(now: Moment) -> Bool {
        guard now.uptime - lastProgress >= silenceMilliseconds else { return false }
        let isNew = host.refused("NoAnswer", nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        if isNew { logger.warning(.hostSilent, "\(service) has not answered for a while, what waits is put back") }
        return true
    }

    package func forgetTopics() {
        guard topics.count > Self.topicsKept else { return }
        topics = topics.filter { !$0.value.breaker.isClosed }
    }

    // MARK: The end

    /// Nothing may go any more.
    package func returnAll() { isReturningAll = true }

    /// Nobody will find out any more what is refused.
    package func forget() {
        if !credential.isClosed { refusals(.ended(subject)) }
        for health in topics.values where !health.breaker.isClosed { refusals(.ended(subject(health))) }
    }

    private func tell(of breaker: Breaker, _ subject: Refusal.Subject, now: Moment) {
        guard let reason = breaker.reason else { return }
        logger.warning(
            .credentialRefused, "\(service) refuses this credential, its jobs wait",
            metadata: [
                "reason": "\(reason)", "topic": "\(subject.topic ?? "all")",
                "next_probe_in_s": "\(breaker.openMilliseconds / 1000)",
            ])
        refusals(.began(Refusal(subject: subject, reason: reason, since: now.wall)))
    }

    private func tellOfEnd(_ subject: Refusal.Subject) {
        logger.notice(
            .credentialAccepted, "\(service) accepts this credential again",
            metadata: ["topic": "\(subject.topic ?? "all")"])
        refusals(.ended(subject))
    }

    private func subject(_ health: TopicHealth) -> Refusal.Subject {
        Refusal.Subject(credential: subject.credential, environment: subject.environment, topic: health.topic)
    }
}
