import Foundation
import HTTP2Pool
import HTTP2Session
import PushModel
import Threading

/// The pushes of one pool, from the job that is handed in to the outcome: which is next, and what its answer means. On
/// the pool's event loop.
// why: unchecked for that reason; the only part touched from other threads is the mailbox.
final class APNSPushes: @unchecked Sendable {
    /// Beyond this a push that servers keep refusing unprocessed waits in a delay queue instead.
    private static let maximumResends = 5

    private let mailbox = Mutex<[PreparedJob]>([])
    private let clock: @Sendable () -> Timestamp
    private let tokens: ProviderTokenSource?
    private let health: PoolHealth
    private let badTokens: BadTokenBoard
    // One owner, one thread: nothing for exclusivity checks to find on the hot path, here and below.
    @exclusivity(unchecked) private var queue = SendQueue()
    @exclusivity(unchecked) private var onWire = Slab<PushOnWire>()
    @exclusivity(unchecked) private var outcomes = OutcomeBatch()
    @exclusivity(unchecked) private var path = DevicePath()
    private var broadcastPath = BroadcastPath()
    /// The wall clock of this turn.
    @exclusivity(unchecked) private var wallTime: Timestamp?
    private var isStopped = false
    private var hasEnded = false

    init(
        health: PoolHealth, badTokens: BadTokenBoard, tokens: ProviderTokenSource?,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.health = health
        self.badTokens = badTokens
        self.tokens = tokens
        self.clock = clock
    }

    private func moment(_ now: Int64) -> Moment {
        let wall = wallTime ?? clock()
        wallTime = wall
        return Moment(wall: wall, uptime: now)
    }

    // MARK: In

    /// From any thread.
    ///
    /// - Returns: whether the pool is to be woken.
    func handIn(_ job: PreparedJob) -> Bool {
        mailbox.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
    }

    private func takeJobs(_ now: Moment) {
        let jobs = mailbox.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        if queue.isEmpty { health.waitBegins(now: now) }
        for job in jobs { admit(job, now: now) }
    }

    private func admit(_ job: PreparedJob, now: Moment) {
        job.health = health.topic(of: job)
        job.tokens = badTokens.tokens(of: job.routed.job)
        let recipients = job.routed.job.recipients.indices
        if let obstacle = health.obstacle(to: job, now: now) { return settle(job, recipients, obstacle, at: now) }
        guard health.admitsAsProbe(job, now: now) else { return queue.append(job) }
        queue.append(job, recipients: recipients.prefix(1))
        if let obstacle = health.obstacle(to: job, now: now) {
            settle(job, recipients.dropFirst(), obstacle, at: now)
        }
    }

    // MARK: Back

    /// From now on nothing is begun.
    func stop() { isStopped = true }

    /// Retired long enough ago: nothing more is sent.
    func returnAll(now: Int64) {
        health.returnAll()
        holdQueued(now: moment(now)) { _ in true }
    }

    /// Takes out pushes that are not on the wire. Those on it go on, and fail if they come back.
    func cancel(_ isMeant: (PreparedJob) -> Bool, now: Int64) {
        let now = moment(now)
        // Jobs that were handed in before may still be there.
        takeJobs(now)
        for push in queue.removeAll(where: isMeant) { settle(push, .failed, reason: Outcome.cancelled, at: now) }
    }

    /// Whether the push with this tag is of a job that is meant, which is cancelled then.
    func isOnWire(_ tag: Int, of isMeant: (PreparedJob) -> Bool) -> Bool {
        guard let job = onWire[tag]?.push.job, isMeant(job) else { return false }
        job.isCancelled = true
        return true
    }

    /// Nobody will find out any more what is refused.
    func end(now: Int64) {
        guard !hasEnded else { return }
        hasEnded = true
        badTokens.tell(now: moment(now))
        health.forget()
        badTokens.forget()
    }

    private func holdQueued(now: Moment, where isMeant: (PreparedJob) -> Bool) {
        for push in queue.removeAll(where: isMeant) {
            guard let obstacle = health.obstacle(to: push.job, now: now) else { continue }
            settle(push, obstacle, at: now)
        }
    }

    private func settle(_ job: PreparedJob, _ recipients: Range<Int>, _ obstacle: PoolHealth.Obstacle, at now: Moment) {
        for recipient in recipients {
            settle(QueuedPush(job: job, recipient: recipient, resends: 0), obstacle, at: now)
        }
    }

    private func settle(_ push: QueuedPush, _ obstacle: PoolHealth.Obstacle, at now: Moment) {
        settle(push, obstacle.verdict, reason: obstacle.reason, retryAfterSeconds: obstacle.seconds, at: now)
    }

    private func settle(
        _ push: QueuedPush, _ verdict: Outcome.Verdict, reason: String? = nil, retryAfterSeconds: Int32 = 0,
        at now: Moment
    ) {
        outcomes.add(
            Outcome(
                job: push.job.routed, recipient: push.recipient, verdict: verdict, reason: reason,
                retryAfterSeconds: retryAfterSeconds, at: now.wall),
            for: push.job.sink)
    }
}

extension APNSPushes: PoolClient {
    var waiting: Int { queue.count }

    func turnBegins(now: Int64) {
        let now = moment(now)
        takeJobs(now)
        guard isStopped else { return }
        while let push = queue.next() { settle(push, .returned, at: now) }
    }

    func next(onlyUrgent: Bool, now: Int64) -> PoolRequest? {
        let now = moment(now)
        while let push = queue.next(onlyUrgent: onlyUrgent) {
            let job = push.job.routed.job
            if job.isExpired(at: now.wall) {
                settle(push, .expired, at: now)
                continue
            }
            let recipient = job.recipients[push.recipient]
            do throws(APNSRequest.Fault) {
                let body = try push.job.body(for: recipient)
                let path = try path(of: recipient, in: job)
                let tag = onWire.insert(PushOnWire(push: push))
                return PoolRequest(tag: tag, path: path, fields: push.job.fields, body: body)
            } catch {
                settle(push, .rejected, reason: error.reason, at: now)
            }
        }
        return nil
    }

    /// Valid until the next call.
    private func path(of recipient: Recipient, in job: Job) throws(APNSRequest.Fault) -> UnsafeRawBufferPointer {
        if job.isBroadcast {
            if let path = broadcastPath.write(job.app) { return path }
            throw APNSRequest.Fault(reason: "BadTopic")
        }
        if let path = job.withBytes({ path.write(UnsafeBufferPointer(rebasing: $0[recipient.token])) }) { return path }
        throw APNSRequest.Fault(reason: "BadDeviceToken")
    }

    /// Holds what is queued while no provider token can be had and no connection has one.
    func filled(isUsable: Bool, now: Int64) {
        guard let tokens, !queue.isEmpty, !isUsable, case .unavailable = tokens.current(now: tokens.now) else { return }
        retryQueued(reason: "NoProviderToken", at: moment(now))
    }

    private func retryQueued(reason: String, at now: Moment) {
        while let push = queue.next() { settle(push, .retry, reason: reason, at: now) }
    }

    func turnEnds() {
        outcomes.report()
        wallTime = nil
    }

    func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        // A broadcast's answer has the one or the other, by Apple's pages.
        if name.is("apns-id") || name.is("apns-request-id") {
            let id = ProviderID(ascii: value.assumingMemoryBound(to: UInt8.self))
            onWire.update(tag) { $0.providerID = id }
        } else if name.is("apns-unique-id") {
            onWire.update(tag) { $0.withExtras { $0.uniqueID = String(decoding: value, as: UTF8.self) } }
        } else if name.is("retry-after"), let seconds = Int32(String(decoding: value, as: UTF8.self)), seconds > 0 {
            onWire.update(tag) { $0.withExtras { $0.retryAfterSeconds = seconds } }
        }
    }

    func answered(_ tag: Int, _ answer: PoolAnswer, now: Int64) -> ConnectionVerdict {
        guard let sent = onWire.remove(tag) else { return .keep }
        let now = moment(now)
        let job = sent.push.job
        health.hostAnswered(now: now)
        guard answer.status == 200 else { return refused(sent, answer, at: now) }
        job.tokens?.answered(nil, now: now)
        health.accepted(.topic, job)
        outcomes.add(
            Outcome(
                job: job.routed, recipient: sent.push.recipient, verdict: .sent, status: 200, judge: .provider,
                providerID: sent.providerID, uniqueID: sent.uniqueID,
                trimmedBytes: job.trimmedBytes(for: sent.push.recipient), at: now.wall),
            for: job.sink)
        return .keep
    }

    private func refused(_ sent: PushOnWire, _ answer: PoolAnswer, at now: Moment) -> ConnectionVerdict {
        let body = APNSErrorBody(answer.body)
        let job = sent.push.job
        let reason = body.reason ?? "Status\(answer.status)"
        job.tokens?.answered(body.reason.flatMap(AppTokens.Fault.init(rawValue:)), now: now)
        let consequence = APNSReason.classify(status: answer.status, reason: body.reason)
            .consequence(isRepeated: sent.push.resends > 0, isBroadcast: job.routed.job.isBroadcast)
        if let accepted = consequence.accepts { health.accepted(accepted, job) }
        if let refused = consequence.refuses {
            health.refuse(refused, by: job, reason: reason, now: now)
            holdQueued(now: now) { refused == .credential || $0.health === job.health }
        }
        if let verdict = consequence.verdict {
            outcomes.add(
                Outcome(
                    job: job.routed, recipient: sent.push.recipient, verdict: verdict, status: answer.status,
                    reason: reason, judge: .provider, providerID: sent.providerID,
                    unregisteredAt: verdict == .unregistered ? body.timestamp ?? now.wall : nil,
                    retryAfterSeconds: sent.retryAfterSeconds, at: now.wall),
                for: job.sink)
        } else {
            sendAgain(sent.push, at: now)
        }
        return body.reason == "ExpiredProviderToken" ? .replaceExpired : consequence.connection
    }

    func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64) {
        guard let sent = onWire.remove(tag) else { return }
        sendAgain(sent.push, at: moment(now))
    }

    private func sendAgain(_ push: QueuedPush, at now: Moment) {
        if push.job.isCancelled { return settle(push, .failed, reason: Outcome.cancelled, at: now) }
        if let obstacle = health.obstacle(to: push.job, now: now) { return settle(push, obstacle, at: now) }
        guard push.resends < Self.maximumResends else {
            return settle(push, .retry, reason: "StreamRefused", at: now)
        }
        if queue.isEmpty { health.waitBegins(now: now) }
        queue.resend(QueuedPush(job: push.job, recipient: push.recipient, resends: push.resends + 1))
    }

    func lost(_ tag: Int, _ loss: RequestLoss, now: Int64) {
        guard let sent = onWire.remove(tag) else { return }
        settle(sent.push, .unknown, reason: APNSReason.of(loss), at: moment(now))
    }

    func goAway(debugData: [UInt8], now: Int64) -> String? {
        let reason = APNSErrorBody(debugData).reason
        if let reason, APNSReason.refusesCredential(reason) { refuseCredential(reason: reason, now: moment(now)) }
        return reason
    }

    private func refuseCredential(reason: String, now: Moment) {
        health.refuseCredential(reason: reason, now: now)
        holdQueued(now: now) { _ in true }
    }

    /// With no other connection to wait for, what is queued goes to the delay queues: a host that is away
    /// must not hold what the pipeline has room for.
    func connectFailed(_ error: any Error, isLast: Bool, now: Int64) {
        let now = moment(now)
        if tokens == nil, ConnectError.refusesCertificate(error) {
            refuseCredential(reason: "BadCertificate", now: now)
        }
        if isLast { retryQueued(reason: "ConnectionFailed", at: now) }
    }

    func tick(now: Int64) {
        let now = moment(now)
        health.forgetTopics()
        badTokens.tell(now: now)
        if !queue.isEmpty, health.isSilent(now: now) { holdQueued(now: now) { _ in true } }
    }
}

extension UnsafeRawBufferPointer {
    /// Compares with a field name; called for every field of every answer.
    fileprivate func `is`(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, name.utf8Start, count) == 0
    }
}
