import AMQPClient
import Contract
import PushModel
import Routing
import Store

/// The component that decides how each job is handled, from its delivery to its settlement. A value type without clock
/// or I/O. Its effects are collected in a ``Turn``.
struct Pipeline {
    private(set) var configuration: PipelineConfiguration
    private(set) var router: Router
    var scheduler: Scheduler
    var claims: JobClaimer
    var suppression: Suppression
    var splitting: Splitting
    var settling: Settling
    var refusals: Refusals
    /// The jobs that operators have cancelled.
    private var cancelledJobs = CancelledJobs()
    private var losses = SurvivedLosses()
    private(set) var isDraining = false
    /// Whether the broker accepts no messages at present, because the publishing connection is closed or blocked.
    /// Waiting jobs are then not moved to another queue, because a moved copy would have to wait in this worker. If the
    /// connection of the job's delivery were lost during this wait, the job would be sent twice.
    var takesNothing = false

    init(_ configuration: PipelineConfiguration, outputs: [RunningOutput]) {
        self.configuration = configuration
        router = Router(
            outputs: Dictionary(outputs.map { ($0.name, $0) }, uniquingKeysWith: { $1 }), configuration: configuration)
        scheduler = Scheduler(configuration)
        claims = JobClaimer(configuration)
        suppression = Suppression(configuration)
        splitting = Splitting(configuration)
        settling = Settling(configuration, recipients: router.outputs.mapValues { $0.traits.recipients })
        refusals = Refusals(configuration: configuration)
    }

    mutating func reconfigure(_ limits: PipelineLimits) {
        configuration.limits = limits
        router.configuration = configuration
        scheduler.configuration = configuration
        claims.configuration = configuration
        splitting.configuration = configuration
        refusals.configuration = configuration
        settling.reconfigure(configuration)
    }

    // MARK: Deliveries

    /// Handles a delivery. A new job is decoded and queued. Other messages are handled at once, such as redeliveries of
    /// jobs that are being processed, delayed result events, jobs to move to the suspects, messages to reject, and jobs
    /// that must wait for a rate limit.
    mutating func arrive(_ delivery: AMQPDelivery, _ turn: inout Turn) {
        guard var inbound = InboundJob(delivery, at: turn.now, worker: configuration.brokerUser) else { return }
        scheduler.arrived(delivery.tag, from: inbound.queue)
        turn.counts.arrivals[inbound.queue.index] += 1
        if turn.takeUp(inbound, configuration.names) { return }
        inbound.mayBeCopy = turn.orphans.mayBeCopied(inbound, now: turn.now)
        if inbound.drop?.isOurs == true { return leaveToBroker(inbound, &turn) }
        if let held = DelayedEvent(inbound, worker: configuration.brokerUser, results: configuration.names.results) {
            return settling.resume(held, turn.open(inbound), &turn)
        }
        // The jobs exchange had no binding for this lane yet, so the job is published again through a different
        // exchange.
        if inbound.drop?.isEarly == true { return turn.move(turn.open(inbound), to: .returned) }
        do throws(JobRejection) {
            // Dropped messages and messages with invalid headers are rejected before the following steps may publish
            // them again.
            try configuration.check(inbound, now: turn.now)
            let survived = losses.count(of: inbound.queue, now: turn.now)
            switch Suspicion(deliveries: inbound.earlierDeliveries, survived: survived, queue: inbound.queue) {
            case .none: break
            case .suspect:
                turn.counts.jobsSuspected += 1
                return turn.move(turn.open(inbound), to: .suspects)
            case .renew: return turn.move(turn.open(inbound), to: inbound.home)
            }
            if isDraining { return turn.requeue(turn.open(inbound)) }
            let job = try configuration.decode(inbound, now: turn.now, makeID: configuration.makeID)
            scheduler.rateLimits = turn.rateLimits()
            let isOver = scheduler.rateLimits.concerns(job) && sendsNothing(of: job, turn.now)
            var waiting = scheduler.prepare(job, inbound, isOver: isOver, now: turn.now)
            if !isOver { try scheduler.check(waiting, now: turn.now) }
            if let slot = scheduler.slot(of: &waiting, now: turn.now) { return throttle(waiting, until: slot, &turn) }
            scheduler.append(waiting, now: turn.now)
        } catch {
            turn.reject(turn.open(inbound), error)
        }
    }

    /// Dead-letters a message by rejecting it again. The broker dropped the message after a worker had rejected it, and
    /// the rejection event is already published.
    private func leaveToBroker(_ inbound: InboundJob, _ turn: inout Turn) {
        let job = turn.open(inbound)
        job.isUntakeable = true
        turn.met(turn.outbox.ledger.rest(of: job.entry))
    }

    /// Handles the loss of the connection of these queues. The broker redelivers every unsettled delivery of the
    /// connection, to this worker or another. Jobs that were not started are therefore dropped, and started jobs
    /// continue.
    ///
    /// - Parameter wasOpen: whether the connection was open before. It is `false` if the connection could not be made.
    mutating func disconnected(_ queues: [JobQueue], wasOpen: Bool, _ turn: inout Turn) {
        if wasOpen { losses.add(queues, now: turn.now) }
        for job in scheduler.disconnected(queues) { turn.lost(job.inbound) }
        splitting.stop(queues, &turn)
        turn.loseConnection(of: queues)
        refusals.forgetOrphans(&splitting, &turn)
    }

    /// Stops starting jobs, and requeues the waiting jobs.
    mutating func drain(_ turn: inout Turn) {
        isDraining = true
        for job in scheduler.removeAll() { turn.requeue(turn.open(job.inbound)) }
    }

    // MARK: Starting

    /// Starts all jobs that may start. Moves excess jobs, and jobs that have waited too long, to a waiting queue or a
    /// delay queue.
    mutating func startJobs(_ turn: inout Turn) {
        (scheduler.waitsForPace, scheduler.slowed) = (false, turn.priority.slowed)
        guard !scheduler.busy.isEmpty else { return }
        scheduler.rateLimits = turn.rateLimits()
        for queue in scheduler.busy.next() {
            while let job = scheduler.next(of: queue, owing: turn.outbox.ledger.owing, now: turn.now) {
                start(job, &turn)
                // If the job was moved instead of sent, its capacity must be released before the next job is selected.
                release(&turn)
            }
            while !takesNothing, let job = scheduler.surplus(of: queue, owing: turn.outbox.ledger.owing, now: turn.now)
            {
                putOff(job, &turn)
            }
        }
        if !takesNothing { for job in scheduler.overdue(now: turn.now) { putOff(job, &turn) } }
        scheduler.forgetIdleQueues()
    }

    /// Moves a waiting job to a waiting queue or a delay queue. A suspect job is moved to the queue of suspects again.
    private mutating func putOff(_ job: WaitingJob, _ turn: inout Turn) {
        let (destination, slot) = scheduler.leave(job, now: turn.now)
        if let slot { throttle(job, until: slot, &turn) } else { turn.putOff(job, to: destination) }
    }

    /// Handles a message that the broker returned. If the broker can never accept the message, it is given up.
    /// Otherwise it is handled like a refused message.
    mutating func returned(_ returned: AMQPReturn, _ turn: inout Turn) {
        guard returned.isFinal else {
            if let exchange = turn.outbox[returned.id]?.publication.exchange {
                turn.counts.refusals[exchange] = "\(returned.code) \(returned.text)"
            }
            return refused([returned.id], because: "\(returned.code) \(returned.text)", &turn)
        }
        refusals.returned(returned, &splitting, &turn)
    }

    /// Handles messages that the broker refused. If a message would have moved a waiting job, the job waits in this
    /// worker instead. ``Refusals`` handles the other messages.
    mutating func refused(_ ids: [UInt64], because reason: String, _ turn: inout Turn) {
        var others: [UInt64] = []
        for id in ids {
            guard !isDraining, let job = turn.takeBack(id) else {
                others.append(id)
                continue
            }
            refusals.warn(of: job.exchange, reason, &turn)
            scheduler.moveRefused(job.waiting, now: turn.now)
        }
        refusals.refused(others, because: reason, &splitting, &turn)
    }

    /// Moves a job to a delay queue until its time slot, or rejects a job whose slot is too late.
    private mutating func throttle(_ job: WaitingJob, until slot: RateLimiter.Slot, _ turn: inout Turn) {
        if let refusal = scheduler.refuse(job, slot, now: turn.now) {
            return turn.reject(turn.open(job.inbound), refusal)
        }
        turn.counts.jobsPaced += 1
        turn.outbox.throttle(turn.open(job.inbound), until: slot, turn.now)
    }

    /// Starts a job: routes it, and then settles, delays, claims or sends it.
    private mutating func start(_ waiting: WaitingJob, _ turn: inout Turn) {
        let (job, inbound) = (waiting.job, waiting.inbound)
        do throws(JobRejection) {
            let (output, environment) = try router.address(job, inbound, turn.snapshot())
            waiting.appLoad.look(in: configuration.meter.apps)
            let started = turn.open(StartedJob(waiting, to: output, environment))
            turn.trace(started)
            switch router.first(job, inbound, isCancelled: isCancelled(job), now: turn.now) {
            case .settle(let verdict, let reason): settleAll(started, as: verdict, reason: reason, &turn)
            case .delay(let seconds):
                started.trace?.routed(turn.now)
                turn.counts.jobsScheduled += 1
                turn.move(started, to: .delay(seconds: seconds))
            case .claim(let claim):
                pay(for: started, turn.now)
                // A job that will be split counts as one recipient, so that it does not use the capacity of other jobs.
                take(started.isToBeSplit ? 1 : job.recipients.count, of: started, &turn)
                carryOut(claims.ask(claim, started, &turn), &turn)
            case .goOn:
                pay(for: started, turn.now)
                route(started, &turn)
            }
        } catch {
            turn.reject(turn.open(inbound), error)
        }
    }

    /// Charges a job to its app's rate limit, regardless of its later outcome. Expired jobs, and jobs that will be
    /// split, are not charged.
    private func pay(for started: StartedJob, _ now: Timestamp) {
        guard !started.isToBeSplit, !started.job.isExpired(at: now) else { return }
        started.appLoad.spend(started.job.recipients.count, from: started.inbound.queue)
    }

    /// Returns whether a job is exempt from pauses and rate limits, because none of its pushes would be sent now.
    private func sendsNothing(of job: Job, _ now: Timestamp) -> Bool {
        isCancelled(job) || job.isExpired(at: now) || job.sendAt.map { now < $0 } == true
            || scheduler.rateLimits.cannotWait(job, configuration.retry, now: now)
    }

    /// Returns whether an operator has cancelled a job.
    private func isCancelled(_ job: Job) -> Bool { cancelledJobs.contains(job.id) }

    /// Splits, sends, delays or settles a job, as the router decides.
    private mutating func route(_ started: StartedJob, _ turn: inout Turn) {
        started.trace?.routed(turn.now)
        do throws(JobRejection) {
            switch try router.route(started, turn.snapshot(), now: turn.now) {
            case .split: splitting.split(started, &turn)
            case .send(let credential):
                turn.counts.jobsAccepted += 1
                configuration.meter.starts(started, now: turn.now)
                take(started.job.recipients.count, of: started, &turn)
                started.isSent = true
                started.trace?.sent(with: credential, turn.now)
                suppression.send(started.routed(credential), to: started.output.output, &turn)
            case .hold(let seconds, let failure):
                turn.warn(of: failure, app: started.job.app)
                turn.counts.noteHeldJob(at: turn.now, seconds: seconds)
                if failure.isPause { turn.counts.jobsPaused += 1 }
                let inbound = started.inbound
                turn.move(
                    started, to: .delay(seconds: seconds),
                    firstAttempt: inbound.hasBeenTried ? inbound.firstAttempt(now: turn.now) : nil)
            case .settle(let verdict, let failure):
                turn.warn(of: failure, app: started.job.app)
                settleAll(started, as: verdict, reason: failure.reason, detail: failure.description, &turn)
            }
        } catch {
            turn.reject(started, error)
        }
    }

    /// Sets the number of pending settlements of a job, and reserves the same capacity in its app and its queue.
    private mutating func take(_ recipients: Int, of started: StartedJob, _ turn: inout Turn) {
        turn.outbox.ledger.owe(started.entry, recipients)
        turn.release(started)
        started.load = scheduler.take(recipients, of: started.appLoad, from: started.inbound.queue)
    }

    /// Settles all recipients of a job with the same outcome, without an output.
    private mutating func settleAll(
        _ started: StartedJob, as verdict: Outcome.Verdict, reason: String, detail: String? = nil, _ turn: inout Turn
    ) {
        turn.release(started)
        started.trace?.routed(turn.now)
        started.isSettled = true
        turn.outbox.ledger.owe(started.entry, started.job.recipients.count)
        let (routed, now) = (started.routed(nil), turn.now)
        settling.settle(
            started.job.recipients.indices.lazy.map {
                Outcome(job: routed, recipient: $0, verdict: verdict, reason: reason, detail: detail, at: now)
            }, &turn)
    }

    // MARK: Claims

    /// Continues a job after the answer to its claim, or without an answer.
    mutating func carryOut(_ decision: JobClaimer.Decision?, _ turn: inout Turn) {
        switch decision {
        case .goOn(let started) where isDraining: turn.requeue(started)
        case .goOn(let started) where isCancelled(started.job):
            settleAll(started, as: .failed, reason: Outcome.cancelled, &turn)
        case .goOn(let started): route(started, &turn)
        case .settle(let started, let verdict, let reason): settleAll(started, as: verdict, reason: reason, &turn)
        case nil: break
        }
    }

    // MARK: Suppression

    mutating func carryOut(_ findings: Suppression.Findings, _ turn: inout Turn) {
        settling.settle(findings.dead, &turn)
        for selection in findings.living {
            guard isCancelled(selection.job.job) else {
                turn.send(selection.job.limited(to: selection.recipients), to: selection.output)
                continue
            }
            let now = turn.now
            settling.settle(
                selection.recipients.lazy.map {
                    Outcome(job: selection.job, recipient: $0, verdict: .failed, reason: Outcome.cancelled, at: now)
                }, &turn)
        }
    }

    // MARK: Cancelling

    /// Records cancelled jobs and jobs that are no longer cancelled.
    ///
    /// - Returns: a closure that takes the id of a job and returns whether outputs must cancel the job. The result is
    ///   `nil` if the event cancels no job.
    mutating func received(_ event: CancellationFeed.Event) -> (@Sendable (_ job: String) -> Bool)? {
        cancelledJobs.apply(event)
        switch event {
        case .loaded(let all) where all.count > 0: return { @Sendable in all.contains($0) }
        case .loaded: return nil
        case .changed(let changes):
            let cancelled = Set(changes.map(\.job).filter { cancelledJobs.contains($0) })
            return cancelled.isEmpty ? nil : { @Sendable in cancelled.contains($0) }
        }
    }

    // MARK: Finished jobs

    /// Releases the capacity of jobs that are no longer in flight.
    mutating func release(_ turn: inout Turn) {
        for load in turn.takeReleased() { scheduler.release(load, now: turn.now) }
    }

    mutating func acknowledged(_ job: OpenJob, now: Timestamp) {
        scheduler.settled(job.inbound.tag, from: job.inbound.source, now: now)
        if let moved = job as? MovedJob { scheduler.moved(moved.waiting) }
    }

    // MARK: Prefetch of the waiting queues

    /// Records how many deliveries of each waiting queue this worker holds.
    ///
    /// - Returns: whether the prefetch must be adjusted periodically.
    mutating func watchPrefetch() -> Bool { scheduler.watchPrefetch() && !isDraining }

    mutating func beat(_ turn: inout Turn) -> [Scheduler.PrefetchChange] {
        guard !isDraining, !takesNothing else { return [] }
        let changes = scheduler.beat(now: turn.now)
        for job in changes.flatMap(\.surplus) { putOff(job, &turn) }
        return changes
    }
}
