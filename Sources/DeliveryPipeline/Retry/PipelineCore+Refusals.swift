import AMQPClient
import Logging
import PushModel

/// What the broker would not take.
///
/// | it is | then |
/// |---|---|
/// | an event, for the first time | offered again after a second |
/// | an event, again | put into a delay queue, to be offered when it comes back; its jobs are done |
/// | an event, for longer than `retry.maximum_age` | put into the dead-letter queue |
/// | such, by a delay queue, for too long | put into the dead-letter queue |
/// | anything else | offered again after 1, 5, 30, 120, 900 seconds; its job stays open |
/// | a job as it came or a chunk, and the job's connection is lost | forgotten: the broker delivers the job again |
/// | a retry or a job as it came, for too long | put into the dead-letter queue, and an event says so |
/// | a chunk or a job under its new name, for too long | as if it were too large |
/// | for the dead-letter queue | offered again after 1, 5, 30, 120, 900 seconds, then every hour |
/// | too large, or not to be carried by AMQP | never offered again: the broker dead-letters its jobs, and an event says so |
/// | such, and a chunk | its job is split no further, too |
///
/// Too long is what would keep a job open for more than 25 minutes. What is to be offered again waits here. Its job's
/// recipients take room of `maximumInFlight` meanwhile, and its delivery a place of the prefetch, so there are never more
/// than these over one connection.
extension PipelineCore {
    func refused(_ ids: [UInt64], because reason: String) {
        var waiting: [Int: [UInt64]] = [:]
        for id in ids {
            guard let message = outbox.refused(id) else { continue }
            warn(ofRefusalBy: message.publication.exchange, reason)
            if message.isOrphan {
                forget(id)
                continue
            }
            let seconds = RefusalLadder.seconds(afterFailures: message.refusals)
            let isTooLong = isTooLong(for: id, seconds)
            if message.publication.exchange == configuration.names.results, var event = message.event {
                event.failures += message.refusals
                if event.failures > 1 || isTooLong, hold(event, id: id, because: reason) { continue }
            }
            if isTooLong, giveUp(id, because: reason) { continue }
            waiting[seconds, default: []].append(id)
        }
        for (seconds, ids) in waiting {
            wait(.refusal, seconds * 1_000) { [self] in
                for id in ids { offerAgain(id) }
            }
        }
    }

    func returned(_ returned: AMQPReturn) {
        if returned.isFinal { return leaveJobs(of: returned) }
        refused([returned.id], because: "\(returned.code) \(returned.text)")
    }

    /// Jobs as they came, and chunks: the connection is lost, and the broker delivers the jobs again.
    func forgetRefused(of queues: [JobQueue]) { for id in outbox.orphans(of: queues) { forget(id) } }

    private func forget(_ id: UInt64) {
        for job in outbox.met(id) { letGo(job) }
        goOnSplitting(after: id)
    }

    private func offerAgain(_ id: UInt64) {
        if outbox.offerAgain(id) == configuration.names.results { counts.eventsRepeated += 1 }
    }

    /// Each is counted; the log has a line a minute for each exchange.
    private func warn(ofRefusalBy exchange: String, _ reason: String) {
        counts.messagesRefused[exchange, default: 0] += 1
        guard warnings.isDue("refused by \(exchange)", now: now) else { return }
        logger.error(
            "The broker does not take messages; they are offered again, after longer each time",
            metadata: [
                "exchange": "\(exchange)", "refused": "\(counts.messagesRefused[exchange] ?? 0)", "reason": "\(reason)",
            ])
    }

    // MARK: Giving up

    private func isTooLong(for id: UInt64, _ seconds: Int) -> Bool {
        let ledger = outbox.ledger
        let arrivals = ledger.shares(of: id).lazy.compactMap {
            ledger.delivery(of: $0.entry)?.inbound.arrivedAt.seconds
        }
        return arrivals.min().map { now.seconds + Int64(seconds) - $0 > RefusalLadder.longestForJobs } ?? false
    }

    /// - Returns: false if there is nowhere to put it: the dead letters refuse it, or nobody could tell that a worker wrote it.
    private func giveUp(_ id: UInt64, because reason: String) -> Bool {
        guard let message = outbox[id], message.publication.exchange != configuration.names.dead,
            let share = outbox.ledger.shares(of: id).first, let job = outbox.ledger.delivery(of: share.entry)
        else { return false }
        let problem = "\(message.publication.exchange) does not take what became of it: \(reason)"
        if let event = message.event {
            guard let dead = outbox.messages.waiting(event, id: id, reason: problem) else { return false }
            counts.eventsDead += 1
            outbox.replace(by: dead, event: event)
        } else if scatterings.steps[id] != nil {
            leaveJobs(of: id, because: problem)
        } else {
            let rejection = rejection(of: job.inbound, field: "message", problem)
            outbox.replace(
                by: outbox.messages.dead(
                    message.publication, lane: job.inbound.lane, reason: rejection.description))
            tellRejection(rejection, of: job)
        }
        return true
    }

    /// The same message would be refused the same way tomorrow.
    private func leaveJobs(of returned: AMQPReturn) {
        guard let publication = outbox[returned.id]?.publication else { return }
        leaveJobs(
            of: returned.id, field: "body",
            because:
                "made a message of \(publication.body.count) bytes for \(publication.exchange) that the broker never "
                + "takes: \(returned.code) \(returned.text)")
    }

    /// Nothing that is made of these jobs is taken. The broker has the jobs themselves, and can put them among the dead
    /// letters without our publishing them.
    private func leaveJobs(of id: UInt64, field: String = "message", because problem: String) {
        outbox.withdraw(id)
        for share in outbox.ledger.shares(of: id) {
            guard let job = outbox.ledger.delivery(of: share.entry), !job.isUntakeable else { continue }
            job.isUntakeable = true
            let plan = splitNoFurther(share.entry)
            // Of those that the broker has dropped it was told why.
            if job.inbound.drop != nil { continue }
            tellRejection(
                rejection(of: job.inbound, field: field, problem + (plan.map(\.progress) ?? "")), of: job)
        }
        goOnSplitting(after: id)
        acknowledge(outbox.met(id))
    }

    private func tellRejection(_ rejection: JobRejection, of job: OpenJob) {
        counts.jobsRejected += 1
        logger.error("A job was rejected", metadata: ["job": "\(rejection.jobID ?? "-")", "reason": "\(rejection)"])
        outbox.ledger.oweMore(job.entry)
        tell(rejection, of: job)
    }

    /// It has come back as dropped, and was told when it was rejected: rejected again, it goes to the dead letters.
    func leaveToBroker(_ inbound: InboundJob) {
        let job = open(inbound)
        job.isUntakeable = true
        if let done = outbox.ledger.met(outbox.ledger.rest(of: job.entry)) { acknowledge([done]) }
    }
}

extension ChunkPlan {
    fileprivate var progress: String {
        "; no more than the first \(passedOn) of its \(recipients) recipients were passed on"
    }
}

extension AMQPReturn {
    /// The same message would be refused the same way tomorrow: AMQP can't carry it, or it is larger than the broker's
    /// `max_message_size` or has a property that it refuses (406, precondition failed).
    fileprivate var isFinal: Bool { isImpossible || code == 406 }
}
