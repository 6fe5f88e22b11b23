import AMQPClient
import CredentialStore
import Foundation
import Logging
import PushModel

extension PipelineCore {
    /// Decodes and routes one delivery, and hands it to its output.
    func start(_ inbound: InboundJob) {
        let delivery = inbound.delivery
        let traceparent = inbound.traceparent
        do throws(JobRejection) {
            let job = try JobDecoder.decode(
                delivery.body, messageID: delivery.properties.messageID, traceparent: traceparent,
                makeID: { UUID().uuidString.lowercased() })
            try route(job, inbound)
        } catch {
            reject(inbound, error, traceparent: traceparent)
        }
    }

    private func route(_ job: Job, _ inbound: InboundJob) throws(JobRejection) {
        guard let output = outputs[job.output] else {
            throw job.rejected("output", "is \(job.output), but there is only: \(outputNames())")
        }
        guard output.needsCredential else {
            return send(job, to: output, environment: job.environment ?? .production, credential: nil, inbound)
        }
        guard let snapshot = effects?.snapshot() else { return }
        try checkPublisher(of: job, inbound, snapshot)
        switch snapshot.route(
            app: job.app, environment: job.environment, topic: output.topic(for: job),
            needsToken: output.needsToken(for: job), named: job.credential, at: now)
        {
        case .success(let route):
            send(job, to: output, environment: route.environment, credential: route.credential, inbound)
        case .failure(.unknownApp):
            throw job.rejected("app", "\(job.app) is not registered: see 'martlet app set'")
        case .failure(.unsuitable(let explanation)):
            throw job.rejected("credential", explanation)
        case .failure(let failure):
            warn(of: failure, app: job.app)
            let environment = job.environment ?? snapshot.app(job.app)?.defaultEnvironment ?? .production
            if case .noCredential = failure {
                settleAll(job, inbound, environment, as: .failed, reason: failure.reason)
            } else {
                hold(job, inbound, environment, because: failure)
            }
        }
    }

    /// Once a minute for each app and reason: the jobs of a paused one come back every half minute, all of them.
    private func warn(of failure: RoutingFailure, app: String) {
        let now = now
        let subject = "\(app) \(failure.reason)"
        if let last = lastWarnings[subject], now.seconds - last.seconds < 60 { return }
        lastWarnings[subject] = now
        logger.warning("Jobs can't be sent", metadata: ["app": "\(app)", "reason": "\(failure)"])
    }

    /// An app may name the broker users who may push to it.
    private func checkPublisher(
        of job: Job, _ inbound: InboundJob, _ snapshot: Snapshot
    ) throws(JobRejection) {
        guard let allowed = snapshot.app(job.app)?.allowedPublishers, !allowed.isEmpty else { return }
        guard let publisher = inbound.publisher(worker: configuration.brokerUser) else {
            throw job.rejected("app", "\(job.app) has a list of publishers, and the message has no user_id property")
        }
        guard allowed.contains(publisher) else {
            throw job.rejected("app", "\(job.app) may not be pushed to by broker user \(publisher)")
        }
    }

    private func send(
        _ job: Job, to output: any Output, environment: PushEnvironment, credential: Credential?,
        _ inbound: InboundJob
    ) {
        counts.jobsAccepted += 1
        sendUnlessDead(
            routed(job, inbound, environment: environment, credential: credential), to: output)
    }

    private func routed(
        _ job: Job, _ inbound: InboundJob, environment: PushEnvironment, credential: Credential?
    ) -> RoutedJob {
        RoutedJob(
            job: job, environment: environment, credential: credential, lane: inbound.lane,
            attempt: inbound.attempt, redelivered: inbound.wasSentBefore,
            ledgerID: ledger.open(inbound, obligations: job.recipients.count))
    }

    /// Gives every recipient the same outcome without asking an output.
    private func settleAll(
        _ job: Job, _ inbound: InboundJob, _ environment: PushEnvironment, as verdict: Outcome.Verdict,
        reason: String
    ) {
        let routed = routed(job, inbound, environment: environment, credential: nil)
        let at = now
        for index in job.recipients.indices {
            settle(Outcome(job: routed, recipient: index, verdict: verdict, reason: reason, at: at))
        }
    }

    /// The job can be sent later, when its app is resumed or its credential mended: it waits in the broker.
    private func hold(
        _ job: Job, _ inbound: InboundJob, _ environment: PushEnvironment, because failure: RoutingFailure
    ) {
        counts.jobsHeld += 1
        switch configuration.retry.hold(expiration: job.expiration, now: now) {
        case .wait(let seconds):
            let entry = ledger.open(inbound, obligations: 1)
            let publication = messages.delayed(
                job, body: inbound.delivery.body, lane: inbound.lane, attempt: inbound.attempt,
                firstAttempt: inbound.hasBeenTried ? inbound.firstAttempt(now: now) : nil,
                redelivered: inbound.wasSentBefore, seconds: seconds,
                publisher: inbound.publisher(worker: configuration.brokerUser))
            publish(publication, meeting: [.init(entry: entry, count: 1)])
        case .expire: settleAll(job, inbound, environment, as: .expired, reason: failure.reason)
        case .giveUp: settleAll(job, inbound, environment, as: .failed, reason: failure.reason)
        }
    }

    /// The message goes to the dead-letter exchange as it came, and an event says why.
    private func reject(_ inbound: InboundJob, _ rejection: JobRejection, traceparent: String?) {
        counts.jobsRejected += 1
        logger.warning(
            "A job was rejected", metadata: ["job": "\(rejection.jobID ?? "-")", "reason": "\(rejection)"])
        let entry = ledger.open(inbound, obligations: 2)
        let share = SettlingLedger<InboundJob>.Share(entry: entry, count: 1)
        publish(messages.dead(inbound, reason: rejection.description), meeting: [share])
        publish(messages.event(rejection, traceparent: traceparent, now: now), meeting: [share])
    }
}

extension InboundJob {
    /// The attempt this delivery is, from 1.
    var attempt: Int { max(1, Int(delivery.properties.headers[JobHeader.attempt]?.integer ?? 1)) }

    var hasBeenTried: Bool { delivery.properties.headers[JobHeader.firstAttempt] != nil }

    /// When the first attempt was; now, if this is it. A time to come is a mistake, and would keep the job for ever.
    func firstAttempt(now: Timestamp) -> Timestamp {
        let claimed = delivery.properties.headers[JobHeader.firstAttempt]?.integer ?? now.milliseconds
        return Timestamp(milliseconds: min(max(claimed, 0), now.milliseconds))
    }

    /// W3C Trace Context. Today's has 55 characters; what is far longer is none, and would not fit into the
    /// headers of what it is carried into.
    var traceparent: String? {
        delivery.properties.headers[JobHeader.traceparent]?.string.flatMap { $0.utf8.count <= 255 ? $0 : nil }
    }

    /// The broker-validated user who published the job (rabbitmq.com, "Validated User-ID"); for a job that a
    /// worker put into a delay queue, whom that worker named.
    func publisher(worker: String?) -> String? {
        let properties = delivery.properties
        guard let user = properties.userID, user == worker else { return properties.userID }
        return properties.headers[JobHeader.publisher]?.string ?? user
    }

    /// Some of its pushes may have been sent already.
    var wasSentBefore: Bool {
        delivery.isRedelivered || delivery.properties.headers[JobHeader.redelivered] == .boolean(true)
    }
}

extension RoutingFailure {
    /// What an outcome gives as its reason.
    fileprivate var reason: String {
        switch self {
        case .unknownApp: "UnknownApp"
        case .paused: "AppPaused"
        case .unsuitable: "UnsuitableCredential"
        case .noCredential: "NoCredential"
        case .credentialUnusable: "CredentialUnusable"
        }
    }
}

extension Job {
    fileprivate func rejected(_ field: String, _ problem: String) -> JobRejection {
        JobRejection(jobID: id, app: app, faults: [.init(field: field, problem: problem)])
    }
}
