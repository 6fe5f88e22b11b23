import Foundations
package import Logging
package import PushModel

/// The health of a pool's credential, topics, apps and host. It decides which pushes may be sent. While the provider
/// refuses pushes or does not answer, only single probes are sent. The object is used only on the pool's event loop.
///
/// A refusal that the provider states concerns the credential, or the topic that it names. An ambiguous refusal is
/// evidence about the topic, or about the job's app if the output has no topics. It therefore never holds another app's
/// pushes.
package final class PoolHealth {
    /// A condition that prevents pushes from waiting in this process. `seconds` is the time for which the push waits in
    /// the broker.
    package struct Obstacle {
        /// The verdict to report, either `hold` or `returned`. Neither of them uses an attempt.
        package let verdict: Outcome.Verdict
        package let reason: String?
        package let seconds: Int32
    }

    /// The subject that an answer accepts or refuses. An answer that accepts a topic also accepts the credential.
    package enum Subject {
        case credential
        case topic
    }

    /// The consequence for a refused push. `seconds` is the minimum wait before the next attempt, or 0 for none.
    package struct Consequence: Equatable {
        /// The verdict to report. It is `hold` if the provider stated that it refuses the credential or topic,
        /// otherwise `retry`.
        package let verdict: Outcome.Verdict
        package let seconds: Int32

        package init(verdict: Outcome.Verdict, seconds: Int32) {
            self.verdict = verdict
            self.seconds = seconds
        }
    }

    /// The number of topics, and of apps, above which the health of topics or apps without a refusal is dropped.
    /// Publishers may name any number of topics. Queued jobs keep the health of their topic or app alive.
    private static let scopesKept = 1_000

    /// The provider's name in the log.
    private let service: String
    private let subject: Refusal.Subject
    private let refusals: @Sendable (Refusal.Event) -> Void
    private let logger: Logger
    private let silenceMilliseconds: Int64
    // Exclusivity checks are off on this hot path, here and below, because only one thread uses this object.
    /// The breaker of the credential as a whole.
    @exclusivity(unchecked) private var credential: Breaker
    /// The initial state of the breakers of topics and apps.
    private let closedBreaker: Breaker
    /// The breaker of a host that sends no answer or accepts no connection.
    @exclusivity(unchecked) private var host = Breaker(shortestMilliseconds: 5_000, longestMilliseconds: 60_000)
    private var topics: [String: ScopeHealth] = [:]
    private var apps: [String: ScopeHealth] = [:]
    /// Whether the breaker of at least one topic or app is not closed. The value is set by refusals and updated once a
    /// second.
    @exclusivity(unchecked) package private(set) var hasRefusedScopes = false
    /// The id of the last job with a refused push, or `nil` before the first refusal. A push of another job is the
    /// better probe.
    package private(set) var lastRefusedJob: String?
    /// The uptime of the last answer or of the start of the current wait, in milliseconds.
    @exclusivity(unchecked) private var lastProgress: Int64 = 0
    @exclusivity(unchecked) private var silence = HostSilence()
    private var isReturningAll = false

    /// Creates the health of a new pool, without refusals.
    ///
    /// - Parameters:
    ///   - breakMilliseconds: The length of the first opening after a credential or topic is refused.
    ///   - silenceMilliseconds: The time for which pushes may wait while the host sends no answer.
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

    // MARK: Admission

    package func scope(of job: QueuedJob) -> ScopeHealth {
        if let topic = job.topic { return Self.scope(topic, topic: topic, in: &topics, closedBreaker) }
        return Self.scope(job.routed.job.app, topic: nil, in: &apps, closedBreaker)
    }

    private static func scope(
        _ name: String, topic: String?, in scopes: inout [String: ScopeHealth], _ closed: Breaker
    ) -> ScopeHealth {
        if let known = scopes[name] { return known }
        let new = ScopeHealth(topic: topic, breaker: closed)
        scopes[name] = new
        return new
    }

    /// Returns the reason why a job's pushes cannot wait in this process, or `nil` if they can.
    package func obstacle(to job: QueuedJob, now: Moment) -> Obstacle? {
        // The returned pushes are routed again with the snapshot that has retired the credential.
        if isReturningAll { return Obstacle(verdict: .returned, reason: nil, seconds: 0) }
        if credential.admission(nowMilliseconds: now.uptime) == .hold { return obstacle(credential, job) }
        if let scope = job.health, scope.breaker.admission(nowMilliseconds: now.uptime) == .hold {
            return obstacle(scope.breaker, job)
        }
        return host.admission(nowMilliseconds: now.uptime) == .hold ? obstacle(host, job) : nil
    }

    private func obstacle(_ breaker: Breaker, _ job: QueuedJob) -> Obstacle {
        Obstacle(
            verdict: .hold, reason: breaker.reason ?? Outcome.noAnswer,
            seconds: breaker.holdSeconds(random: job.holdRandom))
    }

    /// Returns the admission of this pool's pushes, regardless of their topics and apps.
    package func admission(uptime now: Int64) -> Breaker.Admission {
        if host.isClosed, credential.isClosed { return .pass }
        let admissions = [host.admission(nowMilliseconds: now), credential.admission(nowMilliseconds: now)]
        return [.hold, .wait, .probe].first(where: admissions.contains) ?? .pass
    }

    /// Records that a push is sent, after ``admission(uptime:)`` has admitted it.
    ///
    /// - Returns: Whether the push is a probe.
    package func admit(_ scope: ScopeHealth?, uptime now: Int64) -> Bool {
        if host.isClosed, credential.isClosed, scope?.breaker.isClosed != false { return false }
        let admissions = [
            host.admit(nowMilliseconds: now), credential.admit(nowMilliseconds: now),
            scope?.breaker.admit(nowMilliseconds: now),
        ]
        return admissions.contains(.probe)
    }

    /// Records that a probe has ended. If the probe gives evidence, it is recorded afterwards.
    package func probeEnded(_ scope: ScopeHealth? = nil) {
        host.probeWasNone()
        credential.probeWasNone()
        scope?.breaker.probeWasNone()
    }

    // MARK: Evidence from answers

    /// Records the refusal of a push.
    ///
    /// - Parameter isAmbiguous: Whether the refusal may concern this push alone. It is `false` if the provider stated
    ///   that it refuses the credential or topic.
    package func refused(
        _ sent: PushOnWire, _ what: Subject, isAmbiguous: Bool, reason: String, now: Moment
    ) -> Consequence {
        let job = sent.push.job
        lastRefusedJob = job.routed.job.id
        let evidence = isAmbiguous ? Breaker.Evidence.ambiguous(sent.push.identity) : .stated
        guard let scope = job.health, what == .topic || isAmbiguous else {
            let conclusion = refuseCredential(evidence, writtenAt: sent.writtenAt, reason, now)
            return consequence(conclusion, of: credential, sent, isAmbiguous: isAmbiguous)
        }
        // A message that was accepted for any app proves the credential for all apps.
        if scope.topic == nil, credential.isProven(since: sent.writtenAt, nowMilliseconds: now.uptime) {
            return Consequence(verdict: .retry, seconds: 0)
        }
        let wasReported = scope.topic == nil && isCredentialReported
        let conclusion = scope.breaker.refused(
            reason, evidence, writtenAt: sent.writtenAt, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        hasRefusedScopes = hasRefusedScopes || !scope.breaker.isClosed
        if conclusion == .refused(isNew: true) {
            log(scope.breaker, topic: scope.topic, app: scope.topic == nil ? job.routed.job.app : nil)
            if !wasReported { report(scope.breaker, subject(scope), now: now) }
        }
        return consequence(conclusion, of: scope.breaker, sent, isAmbiguous: isAmbiguous)
    }

    private func consequence(
        _ conclusion: Breaker.Conclusion, of breaker: Breaker, _ sent: PushOnWire, isAmbiguous: Bool
    ) -> Consequence {
        guard case .refused = conclusion, !isAmbiguous else { return Consequence(verdict: .retry, seconds: 0) }
        let random = sent.push.job.holdRandom
        return Consequence(
            verdict: .hold, seconds: sent.push.isProbe ? breaker.probeHoldSeconds : breaker.holdSeconds(random: random))
    }

    /// Records that the provider refuses the credential, independently of a push. An example is a GOAWAY.
    package func refuseCredential(reason: String, now: Moment) {
        _ = refuseCredential(.stated, writtenAt: now.uptime, reason, now)
    }

    private func refuseCredential(
        _ evidence: Breaker.Evidence, writtenAt: Int64, _ reason: String, _ now: Moment
    ) -> Breaker.Conclusion {
        let wasReported = isCredentialReported
        let conclusion = credential.refused(
            reason, evidence, writtenAt: writtenAt, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        if conclusion == .refused(isNew: true) {
            log(credential, topic: nil, app: nil)
            if !wasReported { report(credential, subject, now: now) }
        }
        return conclusion
    }

    /// Records an answer that shows that the provider accepts the credential, or both the credential and the topic.
    /// The push itself may have been refused for another reason. The credential counts as accepted for all apps.
    package func accepted(_ what: Subject, _ sent: PushOnWire, now: Moment) {
        let wasReported = (hasRefusedScopes || !credential.isClosed) && isCredentialReported
        _ = credential.accepted(writtenAt: sent.writtenAt, nowMilliseconds: now.uptime)
        if hasRefusedScopes {
            for app in apps.values where !app.breaker.isClosed {
                _ = app.breaker.accepted(writtenAt: sent.writtenAt, nowMilliseconds: now.uptime)
            }
        }
        if wasReported, !isCredentialReported { reportEnd(subject) }
        guard what == .topic, let scope = sent.push.job.health, scope.topic != nil else { return }
        if scope.breaker.accepted(writtenAt: sent.writtenAt, nowMilliseconds: now.uptime) { reportEnd(subject(scope)) }
    }

    /// Whether the credential is reported as refused, either as a whole or for at least one app.
    private var isCredentialReported: Bool { credential.isRefused || apps.values.contains { $0.breaker.isRefused } }

    package func hostAnswered(now: Moment) {
        lastProgress = now.uptime
        silence.answered(nowMilliseconds: now.uptime)
        if host.succeeded() { logger.notice(.hostAnswersAgain, "\(service) answers again") }
    }

    /// Records that no connection could be made and that no other connection exists.
    package func connectFailed(now: Moment) {
        _ = host.refused(Outcome.connectionFailed, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
    }

    /// Records that a request got no answer in time. If the host is found silent, its breaker opens, for longer each
    /// time.
    package func requestTimedOut(_ push: PushIdentity, writtenAt: Int64, now: Moment) {
        let isSilent = silence.timedOut(push, writtenAt: writtenAt, isKnownSilent: host.isRefused)
        if isSilent { openHost(Outcome.noAnswer, now: now) }
    }

    private func openHost(_ reason: String, now: Moment) {
        if host.refused(reason, nowMilliseconds: now.uptime, random: .random(in: 0..<1)) {
            logger.warning(.hostSilent, "\(service) has stopped answering; its pushes wait in the broker")
        }
    }

    /// Records that pushes are about to be added to an empty queue.
    package func waitBegins(now: Moment) { lastProgress = now.uptime }

    // MARK: Once a second

    /// Opens the host's breaker if the host has sent no answer for too long. The caller must then hold the waiting
    /// pushes.
    package func look(now: Moment) {
        let admission = admission(uptime: now.uptime)
        // The host's silence is measured only while pushes, or one push as a probe, may be sent.
        guard admission == .pass || admission == .probe else { return lastProgress = now.uptime }
        let patience = host.isClosed ? silenceMilliseconds : Breaker.patienceMilliseconds
        guard now.uptime - lastProgress >= patience else { return }
        openHost(host.reason ?? Outcome.noAnswer, now: now)
    }

    package func forgetScopes() {
        guard hasRefusedScopes || topics.count > Self.scopesKept || apps.count > Self.scopesKept else { return }
        let refused = (topics.values, apps.values)
        hasRefusedScopes = refused.0.contains { !$0.breaker.isClosed } || refused.1.contains { !$0.breaker.isClosed }
        if topics.count > Self.scopesKept { topics = topics.filter { !$0.value.breaker.isClosed } }
        if apps.count > Self.scopesKept { apps = apps.filter { !$0.value.breaker.isClosed } }
    }

    // MARK: Closing

    /// Makes ``obstacle(to:now:)`` return an obstacle with the verdict `returned` for every job from now on.
    package func returnAll() { isReturningAll = true }

    /// Reports the end of all reported refusals, because no later push can show whether they persist.
    package func forget() {
        if isCredentialReported { refusals(.ended(subject)) }
        for scope in topics.values where scope.breaker.isRefused { refusals(.ended(subject(scope))) }
    }

    private func log(_ breaker: Breaker, topic: String?, app: String?) {
        logger.warning(
            .credentialRefused, "\(service) refuses this credential; its jobs wait",
            metadata: [
                "reason": "\(breaker.reason ?? "-")", "topic": "\(topic ?? "all")", "app": "\(app ?? "all")",
                "next_probe_in_s": "\(breaker.openMilliseconds / 1000)",
            ])
    }

    private func report(_ breaker: Breaker, _ subject: Refusal.Subject, now: Moment) {
        refusals(.began(Refusal(subject: subject, reason: breaker.reason ?? "-", since: now.wall)))
    }

    private func reportEnd(_ subject: Refusal.Subject) {
        logger.notice(
            .credentialAccepted, "\(service) accepts this credential again",
            metadata: ["topic": "\(subject.topic ?? "all")"])
        refusals(.ended(subject))
    }

    private func subject(_ scope: ScopeHealth) -> Refusal.Subject {
        Refusal.Subject(credential: subject.credential, environment: subject.environment, topic: scope.topic)
    }
}
