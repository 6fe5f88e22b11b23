import EventNames
import AMQPClient
import Logging
import PushModel

/// What the broker would not take. A value: no clock, no I/O.
///
/// | it is | then |
/// |---|---|
/// | an event, for the first time | offered again after a second |
/// | an event, again | put into a delay queue, to be offered when it comes back; its jobs are done |
/// | an event, for longer than `retry.maximum_age` | put into the dead-letter queue |
/// | such, by a delay queue, for too long | put into the dead-letter queue |
/// | anything else | offered again after 1, 5, 30, 120, 900 seconds; its job stays open |
/// | a job that has waited here, on its way to the overflow queue | not offered again: it waits here (``MoveControl``) |
/// | a job as it came or a chunk, and the job's connection is lost | forgotten: the broker delivers the job again |
/// | a retry or a job as it came, for too long | put into the dead-letter queue, and an event says so |
/// | a chunk or a job under its new name, for too long | as if it were too large |
/// | for the dead-letter queue | offered again after 1, 5, 30, 120, 900 seconds, then every hour |
/// | too large, or not to be carried by AMQP | never offered again: the broker dead-letters its jobs, and an event says so |
/// | such, and a chunk | its job is split no further, too |
///
/// Too long is what would keep a job open for more than 25 minutes. Messages that are to be offered again wait here.
/// Its job's recipients take room of `maximumInFlight` meanwhile, and its delivery a place of the prefetch, so there
/// are never more than these over one connection.
struct Refusals {
    var configuration: PipelineConfiguration

    func refused(_ ids: [UInt64], because reason: String, _ splitting: inout Splitting, _ turn: inout Turn) {
        var waiting: [Int: [UInt64]] = [:]
        for id in ids {
            guard let message = turn.outbox.refused(id) else { continue }
            warn(of: message.publication.exchange, reason, &turn)
            if turn.outbox.isOrphan(id) {
                forget(id, &splitting, &turn)
                continue
            }
            let seconds = RefusalLadder.seconds(afterFailures: message.refusals)
            let isTooLong = isTooLong(for: id, seconds, turn)
            if message.publication.exchange == configuration.names.results, var event = message.event {
                event.failures += message.refusals
                if event.failures > 1 || isTooLong, turn.hold(event, insteadOf: id, because: reason) { continue }
            }
            if isTooLong, giveUp(id, message, because: reason, &splitting, &turn) { continue }
            waiting[seconds, default: []].append(id)
        }
        for (seconds, ids) in waiting { turn.wait(.refusal(ids), seconds * 1_000) }
    }

    /// - Parameter returned: is final: it would be refused the same way tomorrow.
    func returned(_ returned: AMQPReturn, _ splitting: inout Splitting, _ turn: inout Turn) {
        guard let publication = turn.outbox[returned.id]?.publication else { return }
        // The same message would be refused the same way tomorrow.
        leaveJobs(
            of: returned.id, field: "body",
            because:
                "made a message of \(publication.body.count) bytes for \(publication.exchange) that the broker never "
                + "takes: \(returned.code) \(returned.text)", &splitting, &turn)
    }

    func offerAgain(_ ids: [UInt64], _ turn: inout Turn) {
        for id in ids where turn.outbox.offerAgain(id) == configuration.names.results {
            turn.counts.eventsRepeated += 1
        }
    }

    /// Removes refused jobs in their original form, and refused chunks, whose messages the broker redelivers.
    func forgetOrphans(_ splitting: inout Splitting, _ turn: inout Turn) {
        for id in turn.outbox.waitingOrphans() { forget(id, &splitting, &turn) }
    }

    /// Removes a message of a job that the broker redelivers. If the message is a chunk, splitting stops, and the job is
    /// marked incomplete so that its remaining settlements do not complete the whole job.
    private func forget(_ id: UInt64, _ splitting: inout Splitting, _ turn: inout Turn) {
        splitting.abandon(chunk: id, &turn)
        for job in turn.outbox.met(id) { turn.lost(job) }
        splitting.goOn(after: id, &turn)
    }

    func warn(of exchange: String, _ reason: String, _ turn: inout Turn) {
        turn.counts.messagesRefused[exchange, default: 0] += 1
        turn.logger.error(
            .messagesRefused, "The broker does not take messages; they are offered again, after longer each time",
            metadata: [
                "exchange": "\(exchange)", "refused": "\(turn.counts.messagesRefused[exchange] ?? 0)",
                "reason": "\(reason)",
            ])
    }

    // MARK: Giving up

    private func isTooLong(for id: UInt64, _ seconds: Int, _ turn: Turn) -> Bool {
        let ledger = turn.outbox.ledger
        let arrivals = ledger.shares(of: id).lazy.compactMap {
            ledger.delivery(of: $0.entry)?.inbound.deliveredAt.seconds
        }
        return arrivals.min().map { turn.now.seconds + Int64(seconds) - $0 > RefusalLadder.longestForJobs } ?? false
    }

    /// - Returns: false if there is nowhere to put it: the dead letters refuse it, or nobody could tell that a worker
    ///   wrote it.
    private func giveUp(
        _ id: UInt64, _ message: UnconfirmedMessage, because reason: String, _ splitting: inout Splitting,
        _ turn: inout Turn
    ) -> Bool {
        guard message.publication.exchange != configuration.names.dead,
            let share = turn.outbox.ledger.shares(of: id).first,
            let job = turn.outbox.ledger.delivery(of: share.entry)
        else { return false }
        let problem = "\(message.publication.exchange) does not take what became of it: \(reason)"
        if let event = message.event {
            guard let dead = turn.outbox.messages.waiting(event, id: id, reason: problem) else { return false }
            turn.counts.eventsDead += 1
            turn.outbox.replace(by: dead, event: event)
        } else if splitting.isStep(id) {
            leaveJobs(of: id, because: problem, &splitting, &turn)
        } else {
            let rejection = configuration.rejection(of: job.inbound, field: "message", problem, now: turn.now)
            turn.outbox.replace(
                by: turn.outbox.messages.dead(
                    message.publication, lane: job.inbound.lane, reason: rejection.description))
            tell(rejection, of: job, &turn)
        }
        return true
    }

    /// Nothing that is made of these jobs is taken. The broker has the jobs themselves, and can put them among the dead
    /// letters without our publishing them.
    private func leaveJobs(
        of id: UInt64, field: String = "message", because problem: String, _ splitting: inout Splitting,
        _ turn: inout Turn
    ) {
        turn.outbox.withdraw(id)
        for share in turn.outbox.ledger.shares(of: id) {
            guard let job = turn.outbox.ledger.delivery(of: share.entry), !job.isUntakeable else { continue }
            job.isUntakeable = true
            let plan = splitting.stop(share.entry, &turn)
            // Of those that the broker has dropped it was told why.
            if job.inbound.drop != nil { continue }
            let rejection = configuration.rejection(
                of: job.inbound, field: field, problem + (plan.map(\.progress) ?? ""), now: turn.now)
            tell(rejection, of: job, &turn)
        }
        splitting.goOn(after: id, &turn)
        turn.met(id)
    }

    private func tell(_ rejection: JobRejection, of job: OpenJob, _ turn: inout Turn) {
        turn.counts.jobsRejected += 1
        turn.logger.error(
            .jobRejected, "A job was rejected",
            metadata: turn.outbox.metadata(of: rejection, job, reason: "\(rejection)"))
        turn.outbox.tell(rejection, of: job, now: turn.now)
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
    var isFinal: Bool { isImpossible || code == 406 }
}
