import CredentialStore
import Logging
import PushModel

extension PipelineCore {
    /// Starts what may start, and moves out of the way what waits beyond its measure.
    func startJobs() {
        for queue in JobQueue.all where !scheduler.isEmpty(queue) {
            let now = now
            while let job = scheduler.next(of: queue, owing: outbox.ledger.owing, now: now) { start(job) }
            while let job = scheduler.surplus(of: queue, owing: outbox.ledger.owing, now: now) {
                counts.jobsOverflowed += 1
                move(open(job.inbound), to: .overflow)
            }
        }
    }

    /// Finds out where a job goes, and takes it a step further.
    private func start(_ waiting: WaitingJob) {
        let (job, inbound) = (waiting.job, waiting.inbound)
        do throws(JobRejection) {
            let (output, environment) = try router.address(job, inbound, effects.snapshot())
            let started = StartedJob(waiting, to: output, environment)
            open(started)
            switch router.first(job, inbound, isCancelled: isCancelled(job), now: now) {
            case .settle(let verdict, let reason): settleAll(started, as: verdict, reason: reason)
            case .delay(let seconds):
                counts.jobsScheduled += 1
                move(started, to: .delay(seconds: seconds))
            case .claim(let claim): ask(claim, started)
            case .goOn: route(started)
            }
        } catch {
            reject(open(inbound), error)
        }
    }

    /// An operator wants no more of it sent.
    func isCancelled(_ job: Job) -> Bool { cancelledJobs.contains(job.id) }

    /// Sends what may be sent, or splits it.
    func route(_ started: StartedJob) {
        do throws(JobRejection) {
            switch try router.route(started, effects.snapshot(), now: now) {
            case .split: split(started)
            case .send(let environment, let credential): send(started, environment, credential)
            case .hold(let seconds, let failure):
                warn(of: failure, app: started.job.app)
                counts.jobsHeld += 1
                let inbound = started.inbound
                move(
                    started, to: .delay(seconds: seconds),
                    firstAttempt: inbound.hasBeenTried ? inbound.firstAttempt(now: now) : nil)
            case .settle(let verdict, let failure):
                warn(of: failure, app: started.job.app)
                settleAll(started, as: verdict, reason: failure.reason)
            }
        } catch {
            reject(started, error)
        }
    }

    /// Once a minute for each app and reason: the jobs of a paused one come back every half minute, all of them.
    private func warn(of failure: RoutingFailure, app: String) {
        guard warnings.isDue("\(app) \(failure.reason)", now: now) else { return }
        logger.warning("Jobs can't be sent", metadata: ["app": "\(app)", "reason": "\(failure)"])
    }

    private func send(_ started: StartedJob, _ environment: PushEnvironment, _ credential: Credential?) {
        counts.jobsAccepted += 1
        take(started.job.recipients.count, of: started)
        started.isSent = true
        sendUnlessDead(routed(started, environment, credential), to: started.output)
    }

    /// It owes so many, and counts for its app and its queue from now on.
    func take(_ recipients: Int, of started: StartedJob) {
        outbox.ledger.owe(started.entry, recipients)
        release(started)
        started.load = scheduler.take(recipients, of: started.use, from: started.inbound.queue)
    }

    private func routed(
        _ started: StartedJob, _ environment: PushEnvironment, _ credential: Credential?
    ) -> RoutedJob {
        let inbound = started.inbound
        return RoutedJob(
            job: started.job, environment: environment, credential: credential, lane: inbound.lane,
            attempt: inbound.attempt, redelivered: inbound.wasSentBefore, ledgerID: started.entry)
    }

    /// Gives every recipient the same outcome without asking an output.
    func settleAll(_ started: StartedJob, as verdict: Outcome.Verdict, reason: String) {
        release(started)
        outbox.ledger.owe(started.entry, started.job.recipients.count)
        let routed = routed(started, started.environment, nil)
        let at = now
        for index in started.job.recipients.indices {
            settle(Outcome(job: routed, recipient: index, verdict: verdict, reason: reason, at: at))
        }
    }

    // MARK: What the broker hands out of the overflow queues

    /// At the end of every turn.
    func watchPrefetch() {
        guard scheduler.watchPrefetch(), !prefetchIsWatched, !isDraining else { return }
        prefetchIsWatched = true
        wait(.prefetch, PrefetchControl.milliseconds) { [self] in
            prefetchIsWatched = false
            for change in isDraining ? [] : scheduler.beat(now: now) {
                effects.setPrefetch(change.prefetch, change.queue)
                for job in change.surplus { move(open(job.inbound), to: .overflow) }
            }
        }
    }
}
