import Logging
import PushModel

/// What a pool does not send, because APNs has refused its like: it goes back to the pipeline, to wait in the
/// broker, but for a push now and then that finds out whether it still is so.
extension APNSPool {
    /// Why a push can't go now.
    struct Obstacle {
        let verdict: Outcome.Verdict
        let reason: String?
        let seconds: Int32
    }

    /// Publishers may name topics without end; those in use keep their health with their jobs.
    private static let topicsKept = 1_000

    // MARK: In

    func enter(_ job: PreparedJob, now: Moment) {
        // Broadcasts may be forbidden to an app whose pushes are not.
        let topic = job.request.channelID == nil ? job.request.topic : "\(job.request.topic) (broadcasts)"
        let health = topics[topic] ?? TopicHealth(topic: topic, breaker: closedBreaker)
        topics[topic] = health
        job.health = health
        job.tokens = tokens(of: job.routed.job)
        let recipients = job.routed.job.recipients.indices
        if let wait = obstacle(to: job, now: now) { return settle(job, recipients, held: wait, at: now) }
        // Nothing holds, so what is not closed is due for a probe.
        let admissions = [
            host.admit(nowMilliseconds: now.uptime), breaker.admit(nowMilliseconds: now.uptime),
            health.breaker.admit(nowMilliseconds: now.uptime),
        ]
        guard admissions.contains(.probe) else { return queue.append(job) }
        queue.append(job, recipients: recipients.prefix(1))
        if let wait = obstacle(to: job, now: now) { settle(job, recipients.dropFirst(), held: wait, at: now) }
    }

    func obstacle(to job: PreparedJob, now: Moment) -> Obstacle? {
        // Outputs hear of a retirement from the snapshot that routes anew what comes back.
        if handsBack { return Obstacle(verdict: .returned, reason: nil, seconds: 0) }
        if breaker.holds(nowMilliseconds: now.uptime) { return obstacle(breaker, .hold, now) }
        if let health = job.health, health.breaker.holds(nowMilliseconds: now.uptime) {
            return obstacle(health.breaker, .hold, now)
        }
        return host.holds(nowMilliseconds: now.uptime) ? obstacle(host, .retry, now) : nil
    }

    private func obstacle(_ breaker: Breaker, _ verdict: Outcome.Verdict, _ now: Moment) -> Obstacle {
        Obstacle(verdict: verdict, reason: breaker.reason, seconds: verdict == .hold ? breaker.holdSeconds : 0)
    }

    private func settle(_ job: PreparedJob, _ recipients: Range<Int>, held obstacle: Obstacle, at now: Moment) {
        for recipient in recipients {
            settle(QueuedPush(job: job, recipient: recipient, resends: 0), held: obstacle, at: now)
        }
    }

    func settle(_ push: QueuedPush, held obstacle: Obstacle, at now: Moment) {
        settle(push, obstacle.verdict, reason: obstacle.reason, retryAfterSeconds: obstacle.seconds, at: now)
    }

    /// Once a second.
    func forgetTopics() {
        guard topics.count > Self.topicsKept else { return }
        topics = topics.filter { !$0.value.breaker.isClosed }
    }

    // MARK: Opening and closing

    func refuseCredential(reason: String, now: Moment) {
        let isNew = breaker.refused(reason, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        warn(of: breaker, subject, isNew: isNew, now: now)
        holdQueued(now: now) { _ in true }
    }

    func refuse(topicOf job: PreparedJob, reason: String, now: Moment) {
        guard let health = job.health else { return }
        let isNew = health.breaker.refused(reason, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        warn(of: health.breaker, subject(health), isNew: isNew, now: now)
        holdQueued(now: now) { $0.health === health }
    }

    func holdQueued(now: Moment, where isMeant: (PreparedJob) -> Bool) {
        for push in queue.removeAll(where: isMeant) {
            guard let wait = obstacle(to: push.job, now: now) else { continue }
            settle(push, held: wait, at: now)
        }
    }

    /// A push was accepted, or refused for a reason that shows that its credential and topic are not.
    func accepted(_ job: PreparedJob, now: Moment) {
        credentialAccepted(now: now)
        if let health = job.health, health.breaker.succeeded() { welcome(subject(health)) }
    }

    func credentialAccepted(now: Moment) {
        if breaker.succeeded() { welcome(subject) }
    }

    private func warn(of breaker: Breaker, _ subject: APNSRefusal.Subject, isNew: Bool, now: Moment) {
        guard isNew, let reason = breaker.reason else { return }
        logger.warning(
            "APNs refuses this credential, its jobs wait",
            metadata: [
                "reason": "\(reason)", "topic": "\(subject.topic ?? "all")",
                "next_probe_in_s": "\(breaker.openMilliseconds / 1000)",
            ])
        refusals(.began(APNSRefusal(subject: subject, reason: reason, since: now.wall)))
    }

    private func welcome(_ subject: APNSRefusal.Subject) {
        logger.notice("APNs accepts this credential again", metadata: ["topic": "\(subject.topic ?? "all")"])
        refusals(.ended(subject))
    }

    /// Nobody will find out any more.
    func forgetRefusals() {
        if !breaker.isClosed { refusals(.ended(subject)) }
        for health in topics.values where !health.breaker.isClosed { refusals(.ended(subject(health))) }
        for app in apps.values where app.watch.isMixedUp { refusals(.ended(subject(app))) }
    }

    private func subject(_ health: TopicHealth) -> APNSRefusal.Subject {
        APNSRefusal.Subject(credential: subject.credential, environment: subject.environment, topic: health.topic)
    }

    // MARK: Silence

    func hostAnswered(now: Moment) {
        lastProgress = now.uptime
        if host.succeeded() { logger.notice("APNs answers again") }
    }

    /// Once a second.
    func giveUpOnSilence(now: Moment) {
        guard !queue.isEmpty, now.uptime - lastProgress >= silenceMilliseconds else { return }
        let isNew = host.refused("NoAnswer", nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        if isNew { logger.warning("APNs has not answered for a while, what waits is put back") }
        holdQueued(now: now) { _ in true }
    }
}
