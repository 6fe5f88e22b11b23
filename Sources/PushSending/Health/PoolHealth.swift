import Foundations
package import Logging
package import PushModel

/// The health of the credential, topics, apps and host of a pool that belongs to one credential. While the host does
/// not answer, only single probes are sent to it. While the provider refuses pushes of a topic or app, only single
/// probes of this topic or app are sent. The object is used only on the pool's event loop.
///
/// The refusal of a push is evidence only about the push's topic, or about its app if the output has no topics. Pushes
/// of other topics or apps continue, even if the provider states that it refuses the credential. A refusal holds all
/// pushes only if it refuses the credential without reference to a push, for example in a GOAWAY.
///
/// A stated refusal of the credential is *in doubt* if the provider has not recently accepted the credential for any
/// topic or app, because it may then refuse the credential for all of them. The refusal is reported for the credential
/// as a whole. The doubt ends when the provider accepts a later push of any topic or app.
package final class PoolHealth {
    /// The number of topics, and of apps, above which the health of those with a closed breaker is dropped. The limit
    /// exists because publishers may name any number of topics. Queued jobs still refer to a dropped health.
    private static let scopesKept = 1_000

    /// The provider's name in the log.
    private let service: String
    private let subject: Refusal.Subject
    private let refusals: @Sendable (Refusal.Event) -> Void
    private let logger: Logger
    private let random: () -> Double
    // Exclusivity checks are off, here and below, because they would slow down this hot path.
    /// The breaker of the credential as a whole.
    @exclusivity(unchecked) private var credential: Breaker
    /// The initial state of the breakers of topics and apps.
    private let closedBreaker: Breaker
    @exclusivity(unchecked) private var host: HostHealth
    private var topics: [String: ScopeHealth] = [:]
    private var apps: [String: ScopeHealth] = [:]
    /// Whether the breaker of at least one topic or app is not closed. The value is set by refusals and updated once a
    /// second.
    @exclusivity(unchecked) package private(set) var restrictsJobs = false
    private var failed = FailedJobs()
    @exclusivity(unchecked) private var acceptedScopes = AcceptedScopes()
    /// Whether a refusal of the credential as a whole has been reported and has not ended.
    @exclusivity(unchecked) private var isCredentialReported = false
    /// Whether ``ScopeHealth/isHeldInDoubt`` may be set for a topic or app.
    private var holdsInDoubt = false
    /// The time at which the newest request with a refusal in doubt was written.
    @exclusivity(unchecked) private var doubtWrittenAt = Int64.min
    private var isReturningAll = false

    /// Creates the health of a new pool, without refusals.
    ///
    /// - Parameters:
    ///   - breakMilliseconds: The length of the first opening after a credential or topic is refused.
    ///   - silenceMilliseconds: The time after which the host counts as silent if pushes wait and no answer arrives.
    ///   - random: A function that returns numbers from 0 up to, but not including, 1. They vary the waits.
    package init(
        of subject: Refusal.Subject, service: String, breakMilliseconds: Int64, silenceMilliseconds: Int64,
        refusals: @escaping @Sendable (Refusal.Event) -> Void, logger: Logger,
        random: @escaping () -> Double = { .random(in: 0..<1) }
    ) {
        self.random = random
        self.service = service
        self.subject = subject
        self.refusals = refusals
        self.logger = logger
        host = HostHealth(silenceMilliseconds: silenceMilliseconds, random: random)
        closedBreaker = Breaker(shortestMilliseconds: breakMilliseconds)
        credential = closedBreaker
    }

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

    // MARK: Evidence from answers

    /// Records the refusal of a push.
    ///
    /// - Parameter isAmbiguous: Whether the refusal may concern this push alone. It is `false` if the provider stated
    ///   that it refuses the credential or topic.
    package func refused(
        _ sent: PushOnWire, _ what: RefusalSubject, isAmbiguous: Bool, reason: String, now: Moment
    ) -> RefusalConsequence {
        let job = sent.push.job
        failed.insert(job, nowMilliseconds: now.uptime)
        guard let scope = job.health else { return RefusalConsequence(.retry) }
        let isProven = credential.isProven(since: sent.writtenAt, nowMilliseconds: now.uptime)
        // If the output has no topics, a recently accepted push of any app shows that the credential works. An
        // ambiguous refusal is then evidence only about this push.
        if isAmbiguous, scope.topic == nil, isProven { return RefusalConsequence(.retry) }
        let refusesCredential = what == .credential && !isAmbiguous
        let isAlone = refusesCredential && isProven && topics.count + apps.count > 1
        let conclusion = scope.breaker.refused(
            reason, isAmbiguous ? .ambiguous(sent.push.identity) : .stated(sent.push.identity, isAlone: isAlone),
            writtenAt: sent.writtenAt, nowMilliseconds: now.uptime, random: random())
        restrictsJobs = restrictsJobs || !scope.breaker.isClosed
        if case .refused(let isNew) = conclusion {
            if isNew { log(scope.breaker, topic: scope.topic, app: scope.topic == nil ? job.routed.job.app : nil) }
            scope.isCredentialRefused = scope.isCredentialRefused || refusesCredential
            if refusesCredential, !isProven {
                (scope.isHeldInDoubt, holdsInDoubt) = (true, true)
                doubtWrittenAt = max(doubtWrittenAt, sent.writtenAt)
                reportCredential(scope.breaker, now: now)
            } else {
                report(scope, now: now)
            }
        }
        return consequence(conclusion, of: scope.breaker, sent, isAmbiguous: isAmbiguous)
    }

    private func consequence(
        _ conclusion: Breaker.Conclusion, of breaker: Breaker, _ sent: PushOnWire, isAmbiguous: Bool
    ) -> RefusalConsequence {
        guard case .refused = conclusion, !isAmbiguous else { return RefusalConsequence(.retry) }
        return RefusalConsequence(refusedBy: breaker)
    }

    /// Records that the provider refuses the credential without reference to a push, for example in a GOAWAY.
    package func refuseCredential(reason: String, now: Moment) {
        guard credential.refused(reason, nowMilliseconds: now.uptime, random: random()) else { return }
        log(credential, topic: nil, app: nil)
        reportCredential(credential, now: now)
    }

    /// Records an answer that shows that the provider accepts the credential, or both the credential and the topic.
    /// The push itself may have been refused for another reason. The answer also ends ambiguous refusals of all apps.
    /// It ends refusals in doubt whose requests were written earlier. Other apps' remaining stated refusals continue.
    package func accepted(_ what: RefusalSubject, _ sent: PushOnWire, now: Moment) {
        _ = credential.accepted(writtenAt: sent.writtenAt, nowMilliseconds: now.uptime)
        if restrictsJobs { endDoubt(sent, now: now) }
        if let scope = sent.push.job.health {
            acceptedScopes.accepted(scope, nowMilliseconds: now.uptime)
            if scope.topic == nil || what == .topic || scope.isCredentialRefused {
                _ = scope.breaker.accepted(writtenAt: sent.writtenAt, nowMilliseconds: now.uptime)
                if scope.breaker.isClosed { closed(scope) }
            }
        }
        guard isCredentialReported, sent.writtenAt > doubtWrittenAt, !credential.isRefused,
            !apps.values.contains(where: \.isReported)
        else { return }
        isCredentialReported = false
        reportEnd(subject)
    }

    /// Closes the breakers of apps with only ambiguous refusals, and of topics and apps with a refusal in doubt. Called
    /// when the provider has accepted the credential for a push.
    private func endDoubt(_ sent: PushOnWire, now: Moment) {
        for app in apps.values where !app.breaker.isClosed && !app.isCredentialRefused {
            _ = app.breaker.accepted(writtenAt: sent.writtenAt, nowMilliseconds: now.uptime)
            if app.breaker.isClosed { closed(app) }
        }
        guard holdsInDoubt, sent.writtenAt > doubtWrittenAt else { return }
        holdsInDoubt = false
        for scope in Array(topics.values) + Array(apps.values) where scope.isHeldInDoubt {
            scope.breaker.succeeded()
            closed(scope)
        }
    }

    /// Records that the provider accepts pushes of a topic or app again.
    private func closed(_ scope: ScopeHealth) {
        (scope.isCredentialRefused, scope.isHeldInDoubt) = (false, false)
        guard scope.isReported else { return }
        scope.isReported = false
        if scope.topic != nil { reportEnd(subject(scope)) }
    }

    /// Returns whether a failure concerns the job's topic or app alone, because a push of another one has been accepted
    /// in the last minute.
    ///
    /// - Parameter quietMilliseconds: The time without accepted pushes after which the method returns `false`.
    package func isAlone(_ job: QueuedJob, quietMilliseconds: Int64, now: Moment) -> Bool {
        guard let scope = job.health else { return false }
        return acceptedScopes.includeOther(than: scope, nowMilliseconds: now.uptime)
            && !acceptedScopes.areQuiet(for: quietMilliseconds, nowMilliseconds: now.uptime)
    }

    package func hostAnswered(now: Moment) {
        if host.answered(now: now) { logger.notice(.hostAnswersAgain, "\(service) answers again") }
    }

    private func log(_ breaker: Breaker, topic: String?, app: String?) {
        logger.warning(
            .credentialRefused, "\(service) refuses this credential; its jobs wait",
            metadata: [
                "reason": "\(breaker.reason ?? "-")", "topic": "\(topic ?? "all")", "app": "\(app ?? "all")",
                "next_probe_in_s": "\(breaker.openMilliseconds / 1000)",
            ])
    }

    /// Reports the refusal of a topic. Refusals of an app are reported as refusals of the credential.
    private func report(_ scope: ScopeHealth, now: Moment) {
        guard !scope.isReported else { return }
        scope.isReported = true
        guard scope.topic != nil else { return reportCredential(scope.breaker, now: now) }
        refusals(.began(Refusal(subject: subject(scope), reason: scope.breaker.reason ?? "-", since: now.wall)))
    }

    private func reportCredential(_ breaker: Breaker, now: Moment) {
        guard !isCredentialReported else { return }
        isCredentialReported = true
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

extension PoolHealth: SendingHealth {
    package func enters(_ job: QueuedJob) { job.health = scope(of: job) }

    // MARK: Admission

    package func obstacle(to job: QueuedJob, now: Moment) -> SendObstacle? {
        // The returned pushes are routed again with the snapshot that has retired the credential.
        if isReturningAll { return SendObstacle(.returned) }
        if credential.admission(nowMilliseconds: now.uptime) == .hold { return SendObstacle(credential, holding: job) }
        if let scope = job.health, scope.breaker.admission(nowMilliseconds: now.uptime) == .hold {
            return SendObstacle(scope.breaker, holding: job)
        }
        return host.obstacle(to: job, now: now)
    }

    package func admission(uptime now: Int64) -> Breaker.Admission {
        if host.isClosed, credential.isClosed { return .pass }
        let admissions = [host.admission(uptime: now), credential.admission(nowMilliseconds: now)]
        return [.hold, .wait, .probe].first(where: admissions.contains) ?? .pass
    }

    package func lets(_ job: QueuedJob, uptime now: Int64) -> Bool {
        job.health?.breaker.holds(nowMilliseconds: now) != true
    }

    package func rank(_ job: QueuedJob) -> Int {
        host.isClosed && credential.isClosed && job.health?.breaker.isClosed != false ? 0 : failed.rank(job)
    }

    package func sharesProbe(_ job: QueuedJob, with other: QueuedJob) -> Bool {
        job.health === other.health || !host.isClosed || !credential.isClosed
    }

    package func hasFailed(_ job: QueuedJob) -> Bool {
        apps.count > 1 && failed.hasFailed(job.routed.job.app)
    }

    package func admit(_ job: QueuedJob, uptime now: Int64) -> Bool {
        let scope = job.health
        if host.isClosed, credential.isClosed, scope?.breaker.isClosed != false { return false }
        let admissions = [
            host.admit(uptime: now), credential.admit(nowMilliseconds: now),
            scope?.breaker.admit(nowMilliseconds: now),
        ]
        return admissions.contains(.probe)
    }

    package func probeEnded(_ job: QueuedJob) {
        host.probeEnded()
        credential.probeWasNone()
        job.health?.breaker.probeWasNone()
    }

    // MARK: The host

    package func waitBegins(now: Moment) { host.waits(now: now) }

    package func requestFailed(_ job: QueuedJob, now: Moment) { failed.insert(job, nowMilliseconds: now.uptime) }

    package func requestTimedOut(_ push: PushIdentity, writtenAt: Int64, now: Moment) {
        if host.timedOut(push, writtenAt: writtenAt, now: now) { logSilence() }
    }

    package func connectFailed(now: Moment) { host.connectFailed(now: now) }

    package func look(now: Moment) {
        if host.look(admission(uptime: now.uptime), now: now) { logSilence() }
    }

    private func logSilence() {
        logger.warning(.hostSilent, "\(service) has stopped answering; its pushes wait in the broker")
    }

    // MARK: Closing

    /// Updates ``restrictsJobs``. Drops the health of topics and apps with a closed breaker if there are too many.
    package func tick(now: Moment) {
        failed.tick(
            isHealthy: host.isClosed && credential.isClosed && !restrictsJobs, nowMilliseconds: now.uptime)
        guard restrictsJobs || topics.count > Self.scopesKept || apps.count > Self.scopesKept else { return }
        let refused = (topics.values, apps.values)
        restrictsJobs = refused.0.contains { !$0.breaker.isClosed } || refused.1.contains { !$0.breaker.isClosed }
        if topics.count > Self.scopesKept { topics = topics.filter { !$0.value.breaker.isClosed } }
        if apps.count > Self.scopesKept { apps = apps.filter { !$0.value.breaker.isClosed } }
    }

    /// Makes ``obstacle(to:now:)`` return an obstacle with the verdict `returned` for every job from now on.
    package func returnAll() { isReturningAll = true }

    package func forget() {
        if isCredentialReported { refusals(.ended(subject)) }
        for scope in topics.values where scope.isReported { refusals(.ended(subject(scope))) }
    }
}
