import Contract
import Foundations
import AMQPClient
import Logging
import PushModel

/// The component that handles messages that the broker refused. A value type without clock or I/O.
///
/// | refused message | action |
/// |---|---|
/// | a result event, first refusal | published again after one second |
/// | a result event, later refusal | moved to a delay queue and published when it returns; its jobs are done |
/// | a result event, after `retry.maximum_age` | dead-lettered |
/// | a result event refused by a delay queue, for too long | dead-lettered |
/// | any other message | published again after 1, 5, 30, 120, 900 seconds; its job stays open |
/// | a waiting job that was to be moved | not published again; it waits in the worker (``MoveControl``) |
/// | an original job or a chunk, if the job became an orphan | dropped, because the broker redelivers the job |
/// | a retry or an original job, for too long | dead-lettered, and an event reports it |
/// | a chunk or a job under its new name, for too long | treated as too large |
/// | a message to the dead-letter exchange | published again after 1, 5, 30, 120, 900 seconds, then every hour |
/// | too large, or impossible in AMQP | not published again; the broker dead-letters its jobs; an event reports it |
/// | a chunk that is too large | in addition, splitting of its job stops |
///
/// "Too long" means that a job would stay open for more than 25 minutes. Messages that will be published again wait in
/// the worker. The recipients of their jobs count towards `maximumInFlight`, and their deliveries count towards the
/// prefetch. The number of waiting messages is therefore limited.
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
            let seconds = RefusalBackoff.seconds(afterFailures: message.refusals)
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

    /// Gives up on a message that the broker will never accept, and lets the broker dead-letter the jobs of the
    /// message.
    ///
    /// - Parameter returned: a return for which ``AMQPReturn/isFinal`` is true.
    func returned(_ returned: AMQPReturn, _ splitting: inout Splitting, _ turn: inout Turn) {
        guard let publication = turn.outbox[returned.id]?.publication else { return }
        // The broker would refuse the same message again.
        leaveJobs(
            of: returned.id, field: "body",
            because:
                "produced a message of \(publication.body.count) bytes for \(publication.exchange), which the broker "
                + "refuses: \(returned.code) \(returned.text)", &splitting, &turn)
    }

    func offerAgain(_ ids: [UInt64], _ turn: inout Turn) {
        for id in ids where turn.outbox.offerAgain(id) == configuration.names.results {
            turn.counts.eventsRepeated += 1
        }
    }

    /// Removes the waiting messages whose jobs the broker redelivers: original jobs and chunks.
    func forgetOrphans(_ splitting: inout Splitting, _ turn: inout Turn) {
        for id in turn.outbox.waitingOrphans() { forget(id, &splitting, &turn) }
    }

    /// Removes a refused message without publishing it again, because the broker redelivers its job. If the message is
    /// a chunk, the splitting of the job stops. The job is then marked incomplete, because its settlements no longer
    /// cover all chunks.
    private func forget(_ id: UInt64, _ splitting: inout Splitting, _ turn: inout Turn) {
        splitting.abandon(chunk: id, &turn)
        for job in turn.outbox.met(id) { turn.lost(job) }
        splitting.goOn(after: id, &turn)
    }

    func warn(of exchange: String, _ reason: String, _ turn: inout Turn) {
        turn.counts.messagesRefused[exchange, default: 0] += 1
        turn.logger.error(
            .messagesRefused, "The broker refused messages; retrying with increasing back-off",
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
        return arrivals.min().map { turn.now.seconds + Int64(seconds) - $0 > RefusalBackoff.longestForJobs } ?? false
    }

    /// Gives up on a message that has been refused for too long. The message is dead-lettered or, if it is a step of
    /// splitting a job, the broker dead-letters the job.
    ///
    /// - Returns: `false` if this is impossible, because the dead-letter exchange itself refuses the message, or
    ///   because a dead-lettered result event would be indistinguishable from a forged one.
    private func giveUp(
        _ id: UInt64, _ message: UnconfirmedMessage, because reason: String, _ splitting: inout Splitting,
        _ turn: inout Turn
    ) -> Bool {
        guard message.publication.exchange != configuration.names.dead,
            let share = turn.outbox.ledger.shares(of: id).first,
            let job = turn.outbox.ledger.delivery(of: share.entry)
        else { return false }
        let problem = "\(message.publication.exchange) refused a message of this job: \(reason)"
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

    /// Lets the broker dead-letter the jobs of a message that it does not accept. The broker still has these jobs, so
    /// no worker needs to publish them.
    private func leaveJobs(
        of id: UInt64, field: String = "message", because problem: String, _ splitting: inout Splitting,
        _ turn: inout Turn
    ) {
        turn.outbox.withdraw(id)
        for share in turn.outbox.ledger.shares(of: id) {
            guard let job = turn.outbox.ledger.delivery(of: share.entry), !job.isUntakeable else { continue }
            job.isUntakeable = true
            let plan = splitting.stop(share.entry, &turn)
            // The reason for a dropped job was already reported.
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
        "; at most the first \(passedOn) of its \(recipients) recipients were split off"
    }
}

extension AMQPReturn {
    /// Whether the broker can never accept the message. Either AMQP can't carry it, or the broker refuses its size
    /// (`max_message_size`) or one of its properties (both 406, precondition failed).
    var isFinal: Bool { isImpossible || code == 406 }
}
