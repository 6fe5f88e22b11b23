package import HTTP2Pool
package import PushModel
internal import Foundations

/// The dispatcher of one pool's pushes, from the incoming job to the outcome. It keeps waiting pushes and pushes on the
/// wire. The output's `PoolClient` owns this object, creates the requests and reads the answers. The object is used
/// only on the pool's event loop.
///
/// A push uses an attempt only if it has been written. Waiting uses no attempt. While the pool's health admits nothing,
/// pushes wait here if the wait is at most ``Breaker/patienceMilliseconds``, and otherwise in the broker (verdict
/// `hold`). Probes are chosen when a request can be sent.
// why: unchecked because only the pool's event loop uses it, except the mailbox, which has a lock. Not generic, because
// the compiler would not specialize the code for other modules, and unspecialized code is slow for each push.
package class PushDispatcher: @unchecked Sendable {
    /// The maximum number of immediate resends of a push that servers refused without processing it. After that, the
    /// push waits in a delay queue.
    private static let maximumResends = 5

    private let rules: any SendingHealth
    private let badTokens: BadTokenCounter?
    private let mailbox = Mutex<[QueuedJob]>([])
    private let clock: @Sendable () -> Timestamp
    /// The minimum wait before another attempt, in seconds, or 0 if the provider requires none.
    private let leastWait: Int32
    // Exclusivity checks are off, here and below, because they would slow down this hot path.
    @exclusivity(unchecked) private var queue = SendQueue()
    @exclusivity(unchecked) private var onWire = Slab<PushOnWire>()
    @exclusivity(unchecked) private var outcomes = OutcomeBatch()
    /// The wall-clock time of this turn, or `nil` before the clock is read.
    @exclusivity(unchecked) private var wallTime: Timestamp?
    /// The uptime that the last call of ``moment(_:)`` received, in milliseconds.
    @exclusivity(unchecked) private var uptime: Int64 = 0
    private var isStopped = false
    private var hasEnded = false

    /// Creates the dispatcher of a new pool.
    ///
    /// - Parameter badTokens: The counter of bad device tokens, or `nil` if the output counts them itself or not at
    ///   all.
    package init(
        rules: any SendingHealth, badTokens: BadTokenCounter? = nil, leastWait: Int32 = 0,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.rules = rules
        self.badTokens = badTokens
        self.leastWait = leastWait
        self.clock = clock
    }

    package final func moment(_ now: Int64) -> Moment {
        let wall = wallTime ?? clock()
        wallTime = wall
        uptime = now
        return Moment(wall: wall, uptime: now)
    }

    /// The wall-clock time of this turn, or the current time if the clock has not been read in this turn.
    package final var now: Timestamp { wallTime ?? clock() }

    // MARK: Incoming jobs

    /// Adds a job to the mailbox. Any thread may call this.
    ///
    /// - Returns: Whether the caller must wake the pool.
    package final func handIn(_ job: QueuedJob) -> Bool {
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
        for job in jobs { take(job, at: now) }
    }

    /// Adds a job to the queue, or settles its pushes if they cannot wait in this process.
    package final func take(_ job: QueuedJob, at now: Moment) {
        rules.enters(job)
        if let badTokens, !job.routed.job.isBroadcast { job.tokens = badTokens.tokens(of: job.routed.job.app) }
        if let obstacle = rules.obstacle(to: job, now: now) {
            for place in 0..<job.count {
                settle(QueuedPush(job: job, recipient: job.recipient(at: place)), obstacle, at: now)
            }
        } else {
            if queue.isEmpty { rules.waitBegins(now: now) }
            queue.append(job)
        }
    }

    // MARK: Outgoing pushes

    /// The number of pushes that the pool's health admits now. Some of them may have to wait because of their jobs.
    package final var waiting: Int {
        switch rules.admission(uptime: uptime) {
        case .pass: queue.count
        case .probe: min(1, queue.count)
        case .wait, .hold: 0
        }
    }

    /// Whether no push is queued. The queue also contains pushes that may be sent only later.
    package final var isEmpty: Bool { queue.isEmpty }
    package final var hasUrgent: Bool { queue.hasUrgent }
    /// The number of queued jobs with pushes that have never been sent. Pushes that are sent again do not count.
    package final var waitingJobs: Int { queue.jobs }

    package final var hasNothingOnWire: Bool { onWire.count == 0 }

    /// Moves the jobs in the mailbox to the queue. If the output is stopped, all waiting pushes are settled with the
    /// verdict `returned`.
    package final func turnBegins(now: Int64) {
        let now = moment(now)
        takeJobs(now)
        guard isStopped else { return }
        while let push = queue.next() { settle(push, .returned, at: now) }
    }

    /// Returns the next push that may be sent, or `nil` if there is none. Settles expired pushes.
    package final func next(onlyUrgent: Bool, at now: Moment) -> QueuedPush? {
        while let push = nextOfQueue(onlyUrgent: onlyUrgent, at: now) {
            guard push.job.routed.job.isExpired(at: now.wall) else { return admitted(push, at: now) }
            settle(push, .expired, at: now)
        }
        return nil
    }

    private func nextOfQueue(onlyUrgent: Bool, takesSuspects: Bool = true, at now: Moment) -> QueuedPush? {
        switch rules.admission(uptime: now.uptime) {
        case .wait, .hold: return nil
        case .pass where !rules.restrictsJobs && takesSuspects: return queue.next(onlyUrgent: onlyUrgent)
        case .pass, .probe: break
        }
        func lets(_ job: QueuedJob) -> Bool {
            rules.lets(job, uptime: now.uptime) && (takesSuspects || !rules.hasFailed(job))
        }
        let next = queue.next(onlyUrgent: onlyUrgent, takesGroups: takesSuspects, where: lets)
        guard let next else { return nil }
        for rank in 0..<rules.rank(next.job) {
            let better = queue.next(onlyUrgent: onlyUrgent, takesGroups: takesSuspects) {
                lets($0) && rules.rank($0) == rank && rules.sharesProbe($0, with: next.job)
            }
            guard let better else { continue }
            queue.resend(next)
            return better
        }
        return next
    }

    private func admitted(_ push: QueuedPush, at now: Moment) -> QueuedPush {
        rules.admit(push.job, uptime: now.uptime) ? push.asProbe : push
    }

    /// Returns the next push that may be sent and further pushes of its job, for outputs whose requests carry several
    /// pushes. See ``SendQueue/batch(startingWith:atMost:_:)``. A probe is sent alone.
    ///
    /// - Parameter takesSuspects: Whether the batch may be a part of a halved batch, or belong to an app with a failure
    ///   in the last minute.
    /// - Returns: The batch, which is empty if nothing may be sent.
    package final func nextBatch(
        onlyUrgent: Bool, atMost most: Int, takesSuspects: Bool, at now: Moment,
        _ goesAlong: (_ job: QueuedJob, _ recipient: Int) -> Bool
    ) -> [QueuedPush] {
        guard rules.admission(uptime: now.uptime) == .pass else {
            guard let probe = next(onlyUrgent: onlyUrgent, at: now) else { return [] }
            _ = goesAlong(probe.job, probe.recipient)
            return [probe]
        }
        while let first = nextOfQueue(onlyUrgent: onlyUrgent, takesSuspects: takesSuspects, at: now) {
            let batch = queue.batch(startingWith: first, atMost: most) {
                goesAlong($0, $1) && $0.health?.breaker.isClosed != false
            }
            guard first.job.routed.job.isExpired(at: now.wall) else {
                return batch.count == 1 ? [admitted(first, at: now)] : batch
            }
            for push in batch { settle(push, .expired, at: now) }
        }
        return []
    }

    /// Records that a push is put on the wire.
    ///
    /// - Returns: The tag of the push's request.
    package final func putOnWire(_ push: QueuedPush) -> Int {
        onWire.insert(PushOnWire(push: push, writtenAt: uptime))
    }

    package final func takeOffWire(_ tag: Int) -> PushOnWire? {
        let sent = onWire.remove(tag)
        if let sent, sent.push.isProbe { rules.probeEnded(sent.push.job) }
        return sent
    }

    /// Sets the provider's id for a push on the wire.
    ///
    /// - Parameter text: The id in ASCII.
    package final func setProviderID(_ tag: Int, ascii text: UnsafeRawBufferPointer) {
        let id = ProviderID(ascii: text.assumingMemoryBound(to: UInt8.self))
        onWire.update(tag) { $0.providerID = id }
    }

    package final func update(_ tag: Int, _ change: (inout PushOnWire) -> Void) { onWire.update(tag, change) }

    /// Settles all waiting pushes with the verdict `hold`, which moves them to delay queues.
    package final func putAside(reason: String, seconds: Int32 = 0, at now: Moment) {
        while let push = queue.next() { settle(push, .hold, reason: reason, retryAfterSeconds: seconds, at: now) }
    }

    /// Moves waiting pushes from the end of the queue to delay queues. Bulk pushes are moved before urgent ones.
    ///
    /// - Parameter count: The number of pushes that stay in the queue. Their order does not change.
    package final func putAside(allBut count: Int, reason: String, at now: Moment) {
        for push in queue.removeLast(allBut: count) { settle(push, .hold, reason: reason, at: now) }
    }

    /// Settles each waiting push that has an obstacle, with the obstacle's verdict.
    package final func holdQueued(at now: Moment) {
        let held = queue.removeAll { rules.obstacle(to: $0, now: now) != nil }
        for push in held {
            if let obstacle = rules.obstacle(to: push.job, now: now) { settle(push, obstacle, at: now) }
        }
    }

    // MARK: Returned and failed pushes

    /// Queues a push for another request, because the provider has certainly not accepted it. If the job is cancelled,
    /// an obstacle exists, or the push has been resent too often, the push is settled instead.
    ///
    /// - Parameter isCounted: Whether the resend counts toward the maximum. It is `false` if resends are limited in
    ///   another way, as when a batch is halved.
    package final func sendAgain(_ push: QueuedPush, isCounted: Bool = true, at now: Moment) {
        if push.isProbe { rules.probeEnded(push.job) }
        if push.job.isCancelled { return settle(push, .failed, reason: Outcome.cancelled, at: now) }
        if let obstacle = rules.obstacle(to: push.job, now: now) { return settle(push, obstacle, at: now) }
        guard !isCounted || push.resends < Self.maximumResends else {
            return settle(push, .retry, reason: SendingReason.streamRefused, at: now)
        }
        if queue.isEmpty { rules.waitBegins(now: now) }
        queue.resend(push.again(isCounted: isCounted))
    }

    /// Queues a refused push for a second request in the same attempt. The request has new authorization, or its answer
    /// is expected after those of the job's other pushes, which show whether the provider accepts the payload.
    package final func sendOnceMore(_ push: QueuedPush, at now: Moment) {
        if push.job.isCancelled { return settle(push, .failed, reason: Outcome.cancelled, at: now) }
        if queue.isEmpty { rules.waitBegins(now: now) }
        queue.resend(push.repeated)
    }

    package final func unprocessed(_ tag: Int, now: Int64) {
        guard let sent = onWire.remove(tag) else { return }
        sendAgain(sent.push, at: moment(now))
    }

    package final func lost(_ tag: Int, _ loss: RequestLoss, now: Int64) {
        guard let sent = takeOffWire(tag) else { return }
        let now = moment(now)
        let seconds = unanswered(sent, loss, at: now)
        settle(sent.push, .unknown, reason: SendingReason.of(loss), retryAfterSeconds: seconds, at: now)
    }

    /// Records that a push was taken off the wire without an answer.
    ///
    /// - Returns: The minimum wait before its next attempt, in seconds.
    package final func unanswered(_ sent: PushOnWire, _ loss: RequestLoss, at now: Moment) -> Int32 {
        rules.requestFailed(sent.push.job, now: now)
        if case .timeout = loss {
            rules.requestTimedOut(sent.push.identity, writtenAt: sent.writtenAt, now: now)
            holdQueued(at: now)
        }
        let isDoubted = sent.push.isProbe || rules.admission(uptime: now.uptime) != .pass
        return isDoubted ? Breaker.unansweredSeconds : 0
    }

    /// Records that a connection could not be made. If no other connection is open or connecting, queued pushes wait
    /// for the next probe of the host.
    package final func connectFailed(isLast: Bool, now: Int64) {
        guard isLast else { return }
        let now = moment(now)
        rules.connectFailed(now: now)
        holdQueued(at: now)
    }

    package final func tick(now: Int64) {
        let now = moment(now)
        rules.tick(now: now)
        badTokens?.report(now: now)
        guard !queue.isEmpty else { return }
        rules.look(now: now)
        holdQueued(at: now)
    }

    // MARK: Calls by the output

    /// Stops sending. In the next turn, waiting pushes are settled with the verdict `returned`.
    package final func stop() { isStopped = true }

    /// Cancels the waiting pushes of the selected jobs. Pushes on the wire continue. They fail if they would have to be
    /// sent again.
    package final func cancel(_ isMeant: (RoutedJob) -> Bool, now: Int64) {
        let now = moment(now)
        // Some of the jobs may still be in the mailbox.
        takeJobs(now)
        for push in queue.removeAll(where: { isMeant($0.routed) }) {
            settle(push, .failed, reason: Outcome.cancelled, at: now)
        }
    }

    /// Returns whether the push with this tag belongs to a selected job, and marks the job as cancelled if so.
    package final func isOnWire(_ tag: Int, of isMeant: (RoutedJob) -> Bool) -> Bool {
        guard let job = onWire[tag]?.push.job, isMeant(job.routed) else { return false }
        job.isCancelled = true
        return true
    }

    /// Reports that all reported refusals and mix-ups have ended. Called when the pool ends, because no later push can
    /// show whether they persist.
    package final func end(now: Int64) {
        guard !hasEnded else { return }
        hasEnded = true
        badTokens?.report(now: moment(now))
        rules.forget()
        badTokens?.forget()
    }

    // MARK: Outcomes

    private func settle(_ push: QueuedPush, _ obstacle: SendObstacle, at now: Moment) {
        settle(push, obstacle.verdict, reason: obstacle.reason, retryAfterSeconds: obstacle.seconds, at: now)
    }

    /// Settles a push without an answer from the provider, with an outcome that Martlet determines.
    package final func settle(
        _ push: QueuedPush, _ verdict: Outcome.Verdict, reason: String? = nil, detail: String? = nil,
        retryAfterSeconds: Int32 = 0, at now: Moment
    ) {
        if push.isProbe { rules.probeEnded(push.job) }
        settle(
            Outcome(
                job: push.job.routed, recipient: push.recipient, verdict: verdict, reason: reason, detail: detail,
                retryAfterSeconds: verdict.isTriedAgain ? max(leastWait, retryAfterSeconds) : 0, at: now.wall),
            of: push.job)
    }

    package final func settle(_ outcome: consuming Outcome, of job: QueuedJob) { outcomes.add(outcome, for: job.sink) }

    package final func turnEnds() {
        outcomes.report()
        wallTime = nil
    }
}
