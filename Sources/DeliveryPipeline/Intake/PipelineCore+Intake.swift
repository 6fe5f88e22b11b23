import AMQPClient
import CredentialStore
import Foundation
import Logging
import PushModel

extension PipelineCore {
    /// Decodes a delivery and lets it wait for its turn.
    func arrive(_ delivery: AMQPDelivery) {
        guard let inbound = InboundJob(delivery, at: now, worker: configuration.brokerUser) else { return }
        queueUses[inbound.queue.index].arrived(delivery.tag)
        if inbound.drop?.isOurs == true { return leaveToBroker(inbound) }
        if let held = heldEvent(inbound) { return resume(held, inbound) }
        // By another exchange than the one that did not know its lane.
        if inbound.drop?.isEarly == true { return move(inbound, to: .overflow) }
        if let drop = inbound.drop { return reject(inbound, as: drop) }
        do throws(JobRejection) {
            // First of all: whatever else is to become of it, it is published once more, and has to fit into a frame.
            try checkHeaders(inbound)
            if inbound.earlierDeliveries >= PipelineConfiguration.suspicion, inbound.queue != .suspects {
                counts.jobsSuspected += 1
                return move(inbound, to: .suspects)
            }
            if isDraining { return move(inbound, to: inbound.home) }
            let job = try decode(inbound)
            let (index, use) = (Int(delivery.tag.queueIndex), use(of: job.app))
            waiting[index].append(
                WaitingJob(inbound: inbound, job: job, use: use, chunkSize: configuration.chunkSize(of: job, inbound)))
        } catch {
            reject(inbound, error, traceparent: inbound.traceparent)
        }
    }

    private func checkHeaders(_ inbound: InboundJob) throws(JobRejection) {
        let delivery = inbound.delivery
        if let problem = delivery.problem {
            let (id, app) = names(of: inbound)
            throw JobRejection(jobID: id, app: app, faults: [.init(field: "headers", problem: problem)])
        }
        guard !delivery.properties.headers.isEmpty else { return }
        let (size, limit) = (delivery.properties.headers.wireSize, PipelineConfiguration.maximumHeaderBytes)
        guard size <= limit else {
            throw delivery.rejected(
                "headers", "have \(size) bytes, more than the \(limit) that a job's headers may have")
        }
    }

    private func decode(_ inbound: InboundJob) throws(JobRejection) -> Job {
        try configuration.decode(
            inbound.delivery.body, messageID: inbound.delivery.properties.messageID,
            traceparent: inbound.traceparent, now: now, makeID: { UUID().uuidString.lowercased() })
    }

    /// Finds out where a job goes, and takes it a step further.
    func start(_ waiting: WaitingJob) {
        let inbound = waiting.inbound
        do throws(JobRejection) {
            try start(waiting.job, inbound, waiting.use)
        } catch {
            reject(inbound, error, traceparent: inbound.traceparent)
        }
    }

    /// An operator wants no more of it sent.
    func isCancelled(_ job: Job) -> Bool { cancelledJobs.contains(job.id) }

    private func start(_ job: Job, _ inbound: InboundJob, _ use: AppUse) throws(JobRejection) {
        guard let output = outputs[job.output] else {
            throw job.rejected("output", "is \(job.output), but there is only: \(outputNames())")
        }
        guard let snapshot = effects?.snapshot() else { return }
        if output.needsCredential {
            guard snapshot.app(job.app) != nil else {
                throw job.rejected("app", "\(job.app) is not registered: see 'martlet app set'")
            }
            try checkPublisher(of: job, inbound, snapshot)
        }
        let environment = job.environment ?? snapshot.app(job.app)?.defaultEnvironment ?? .production
        if isCancelled(job) {
            return settleAll(job, inbound, environment, as: .failed, reason: Outcome.cancelled)
        }
        if let sendAt = job.sendAt, let delay = ScheduleLadder.next(until: sendAt, now: now) {
            counts.jobsScheduled += 1
            return move(inbound, to: .delay(seconds: delay))
        }
        guard let claim = Claim(job, inbound, configuration, owner: { UUID().uuidString.lowercased() }) else {
            return begin(job, to: output, inbound, use, entry: nil)
        }
        ask(claim, job, to: output, environment, inbound, use)
    }

    /// Sends what may be sent, or splits it.
    /// - Parameter entry: the job's in the ledger, if it has one.
    func begin(_ job: Job, to output: any Output, _ inbound: InboundJob, _ use: AppUse, entry: Int?) {
        if isToBeSplit(job, inbound) { return split(job, inbound, entry: entry) }
        route(job, to: output, inbound, use, entry: entry)
    }

    func isToBeSplit(_ job: Job, _ inbound: InboundJob) -> Bool {
        !inbound.isChunk && job.recipients.count > configuration.chunkSize(of: job, inbound)
    }

    /// - Parameter entry: the job's in the ledger, if it has one.
    func route(_ job: Job, to output: any Output, _ inbound: InboundJob, _ use: AppUse, entry: Int?) {
        guard output.needsCredential else {
            return send(job, to: output, .production, credential: nil, inbound, use, entry)
        }
        guard let snapshot = effects?.snapshot() else { return }
        switch snapshot.route(
            app: job.app, environment: job.environment, topic: output.topic(for: job),
            needsToken: output.needsToken(for: job), named: job.credential, at: now)
        {
        case .success(let route):
            send(job, to: output, route.environment, credential: route.credential, inbound, use, entry)
        case .failure(.unsuitable(let explanation)):
            reject(
                inbound, job.rejected("credential", explanation), traceparent: inbound.traceparent, entry: entry)
        case .failure(let failure):
            warn(of: failure, app: job.app)
            let environment = job.environment ?? snapshot.app(job.app)?.defaultEnvironment ?? .production
            switch failure {
            // Removed while it was looked at.
            case .noCredential, .unknownApp, .unsuitable:
                settleAll(job, inbound, environment, as: .failed, reason: failure.reason, entry: entry)
            case .paused, .credentialUnusable: hold(job, inbound, environment, because: failure, entry: entry)
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
        _ job: Job, to output: any Output, _ environment: PushEnvironment, credential: Credential?,
        _ inbound: InboundJob, _ use: AppUse, _ entry: Int?
    ) {
        counts.jobsAccepted += 1
        var inbound = inbound
        (inbound.use, inbound.recipients) = (use, job.recipients.count)
        add(inbound.recipients, to: use, from: inbound.queue)
        sendUnlessDead(
            routed(job, inbound, environment: environment, credential: credential, entry: entry), to: output)
    }

    private func routed(
        _ job: Job, _ inbound: InboundJob, environment: PushEnvironment, credential: Credential?, entry: Int?
    ) -> RoutedJob {
        if let entry { ledger.replaceDelivery(of: entry, by: inbound) }
        return RoutedJob(
            job: job, environment: environment, credential: credential, lane: inbound.lane,
            attempt: inbound.attempt, redelivered: inbound.wasSentBefore,
            ledgerID: entry ?? ledger.open(inbound, obligations: job.recipients.count))
    }

    /// Gives every recipient the same outcome without asking an output.
    func settleAll(
        _ job: Job, _ inbound: InboundJob, _ environment: PushEnvironment, as verdict: Outcome.Verdict,
        reason: String, entry: Int? = nil
    ) {
        let routed = routed(job, inbound, environment: environment, credential: nil, entry: entry)
        let at = now
        for index in job.recipients.indices {
            settle(Outcome(job: routed, recipient: index, verdict: verdict, reason: reason, at: at))
        }
    }

    /// The job can be sent later, when its app is resumed or its credential mended: it waits in the broker.
    private func hold(
        _ job: Job, _ inbound: InboundJob, _ environment: PushEnvironment, because failure: RoutingFailure, entry: Int?
    ) {
        counts.jobsHeld += 1
        switch configuration.retry.hold(expiration: job.expiration, now: now) {
        case .wait(let seconds):
            move(
                inbound, to: .delay(seconds: seconds),
                firstAttempt: inbound.hasBeenTried ? inbound.firstAttempt(now: now) : nil, entry: entry,
                atMostOnce: job.atMostOnce)
        case .expire: settleAll(job, inbound, environment, as: .expired, reason: failure.reason, entry: entry)
        case .giveUp: settleAll(job, inbound, environment, as: .failed, reason: failure.reason, entry: entry)
        }
    }

    /// Publishes a job as it came to another of the workers' queues.
    /// - Parameters:
    ///   - entry: that of a job that has been claimed.
    ///   - atMostOnce: delivered again, it would be taken for its own copy.
    func move(
        _ inbound: InboundJob, to destination: OutboundMessages.Destination, firstAttempt: Timestamp? = nil,
        entry: Int? = nil, atMostOnce: Bool = false
    ) {
        // What was claimed comes back under a name of its own, which nobody has claimed.
        let part = entry == nil ? nil : messages.newPartName()
        let entry = entry ?? ledger.open(inbound, obligations: 1)
        publish(
            messages.moved(inbound, to: destination, firstAttempt: firstAttempt, part: part), isMove: !atMostOnce,
            meeting: [.init(entry: entry, count: ledger.owing(of: entry))])
    }

    /// The broker has taken it out of its queue by itself.
    private func reject(_ inbound: InboundJob, as drop: Drop) {
        let (id, app) = names(of: inbound)
        reject(
            inbound, JobRejection(jobID: id, app: app, faults: [.init(field: "message", problem: drop.reason)]),
            traceparent: inbound.traceparent)
    }

    /// Whose job it is, for the event. A body that was looked at before, and the worker was gone, is not looked at again.
    func names(of inbound: InboundJob) -> (id: String?, app: String?) {
        let delivery = inbound.delivery
        let messageID = delivery.properties.messageID
        guard !inbound.wasLookedAt, delivery.body.count <= configuration.maximumJobBytes else {
            return (messageID, nil)
        }
        do throws(JobRejection) {
            let job = try JobDecoder.decode(
                delivery.body, messageID: messageID,
                limits: JobLimits(recipients: configuration.maximumRecipients, now: now), makeID: { "" })
            return (job.hasGivenID ? job.id : nil, job.app)
        } catch {
            return (error.jobID, error.app)
        }
    }

    /// The message goes to the dead-letter exchange as it came, and an event says why.
    /// - Parameter entry: that of a job that has been claimed.
    func reject(_ inbound: InboundJob, _ rejection: JobRejection, traceparent: String?, entry: Int? = nil) {
        counts.jobsRejected += 1
        logger.warning(
            "A job was rejected", metadata: ["job": "\(rejection.jobID ?? "-")", "reason": "\(rejection)"])
        let part = entry == nil ? nil : messages.newPartName()
        let entry = entry ?? ledger.open(inbound, obligations: 1)
        let owed = ledger.owing(of: entry)
        ledger.oweMore(entry)
        publish(
            messages.dead(inbound, reason: rejection.description, part: part),
            meeting: [.init(entry: entry, count: owed)])
        tell(rejection, of: inbound, traceparent: traceparent, entry: entry)
    }

    /// Publishes the event that a job can't be used, which is one of its obligations.
    func tell(_ rejection: JobRejection, of inbound: InboundJob, traceparent: String?, entry: Int) {
        let event = messages.event(rejection, traceparent: traceparent, now: now)
        publish(
            event, event: HeldEvent(event, lane: inbound.lane, since: now), meeting: [.init(entry: entry, count: 1)])
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

extension AMQPDelivery {
    /// Nothing is known of its job but what the message says.
    fileprivate func rejected(_ field: String, _ problem: String) -> JobRejection {
        JobRejection(jobID: properties.messageID, app: nil, faults: [.init(field: field, problem: problem)])
    }
}
