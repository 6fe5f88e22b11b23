import AMQPClient
import Logging
import PushModel

/// A message without a confirm.
struct UnconfirmedMessage {
    var publication: AMQPPublication
    /// The event that it is, or that waits in it.
    let event: HeldEvent?
    /// A job as it came, or a chunk: until the broker takes it, the broker has the job where it came from.
    var isMove = false
    /// How often the broker would not take it.
    var refusals = 0
    /// It is offered again later; until then the broker has certainly no copy.
    var waits = false
    /// The connection is lost over which its job came, and the broker delivers that again.
    var isOrphan = false
}

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
            guard var message = unconfirmed[id] else { continue }
            warn(ofRefusalBy: message.publication.exchange, reason)
            if message.isOrphan {
                forget(id)
                continue
            }
            message.refusals += 1
            message.waits = true
            unconfirmed[id] = message
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
            effects?.wait(seconds * 1_000) { [self] in
                for id in ids { offerAgain(id) }
                finishTurn()
            }
        }
    }

    func returned(_ returned: AMQPReturn) {
        if returned.isFinal { return leaveJobs(of: returned) }
        refused([returned.id], because: "\(returned.code) \(returned.text)")
    }

    /// Jobs as they came, and chunks: the connection is lost, and the broker delivers the jobs again. Kept, each loss would
    /// add a copy of every one that the broker does not take.
    func forgetRefused(of queues: [JobQueue]) {
        for (id, message) in unconfirmed where message.isMove && !message.isOrphan {
            guard let entry = ledger.shares(of: id).first?.entry, let inbound = ledger.delivery(of: entry),
                queues.contains(inbound.queue)
            else { continue }
            // The broker may just be taking what does not wait.
            if message.waits { forget(id) } else { unconfirmed[id]?.isOrphan = true }
        }
    }

    private func forget(_ id: UInt64) {
        unconfirmed[id] = nil
        for inbound in ledger.met(group: id) { effects?.letGo(inbound.delivery) }
        goOnSplitting(after: id)
    }

    private func offerAgain(_ id: UInt64) {
        guard let message = unconfirmed[id] else { return }
        unconfirmed[id]?.waits = false
        if message.publication.exchange == configuration.names.results { counts.eventsRepeated += 1 }
        outbox.append(message.publication)
    }

    /// Each is counted; the log has a line a minute for each exchange.
    private func warn(ofRefusalBy exchange: String, _ reason: String) {
        counts.messagesRefused[exchange, default: 0] += 1
        let (now, subject) = (now, "refused by \(exchange)")
        if let last = lastWarnings[subject], now.seconds - last.seconds < 60 { return }
        lastWarnings[subject] = now
        logger.error(
            "The broker does not take messages; they are offered again, after longer each time",
            metadata: [
                "exchange": "\(exchange)", "refused": "\(counts.messagesRefused[exchange] ?? 0)", "reason": "\(reason)",
            ])
    }

    // MARK: Giving up

    private func isTooLong(for id: UInt64, _ seconds: Int) -> Bool {
        let arrivals = ledger.shares(of: id).lazy.compactMap { self.ledger.delivery(of: $0.entry)?.arrivedAt.seconds }
        return arrivals.min().map { now.seconds + Int64(seconds) - $0 > RefusalLadder.longestForJobs } ?? false
    }

    /// - Returns: false if there is nowhere to put it: the dead letters refuse it, or nobody could tell that a worker wrote it.
    private func giveUp(_ id: UInt64, because reason: String) -> Bool {
        guard let message = unconfirmed[id], message.publication.exchange != configuration.names.dead,
            let share = ledger.shares(of: id).first, let inbound = ledger.delivery(of: share.entry)
        else { return false }
        let problem = "\(message.publication.exchange) does not take what became of it: \(reason)"
        if let event = message.event {
            guard let dead = messages.waiting(event, id: id, reason: problem) else { return false }
            counts.eventsDead += 1
            unconfirmed[id] = UnconfirmedMessage(publication: dead, event: event)
            outbox.append(dead)
        } else if scatterings.steps[id] != nil {
            leaveJobs(of: id, because: problem)
        } else {
            let rejection = rejection(of: inbound, field: "message", problem)
            let dead = messages.dead(message.publication, lane: inbound.lane, reason: rejection.description)
            unconfirmed[id] = UnconfirmedMessage(publication: dead, event: nil, isMove: message.isMove)
            outbox.append(dead)
            tellRejection(rejection, of: inbound, entry: share.entry)
        }
        return true
    }

    /// The same message would be refused the same way tomorrow.
    private func leaveJobs(of returned: AMQPReturn) {
        guard let publication = unconfirmed[returned.id]?.publication else { return }
        leaveJobs(
            of: returned.id, field: "body",
            because:
                "made a message of \(publication.body.count) bytes for \(publication.exchange) that the broker never "
                + "takes: \(returned.code) \(returned.text)")
    }

    /// Nothing that is made of these jobs is taken. The broker has the jobs themselves, and can put them among the dead
    /// letters without our publishing them.
    private func leaveJobs(of id: UInt64, field: String = "message", because problem: String) {
        unconfirmed[id] = nil
        for share in ledger.shares(of: id) {
            guard var inbound = ledger.delivery(of: share.entry), !inbound.isUntakeable else { continue }
            inbound.isUntakeable = true
            ledger.replaceDelivery(of: share.entry, by: inbound)
            let plan = splitNoFurther(share.entry)
            // Of those that the broker has dropped it was told why.
            if inbound.drop != nil { continue }
            tellRejection(
                rejection(of: inbound, field: field, problem + (plan.map(\.progress) ?? "")), of: inbound,
                entry: share.entry)
        }
        goOnSplitting(after: id)
        settle(ledger.met(group: id))
    }

    private func rejection(of inbound: InboundJob, field: String, _ problem: String) -> JobRejection {
        let (id, app) = names(of: inbound)
        return JobRejection(jobID: id, app: app, faults: [.init(field: field, problem: problem)])
    }

    private func tellRejection(_ rejection: JobRejection, of inbound: InboundJob, entry: Int) {
        counts.jobsRejected += 1
        logger.error("A job was rejected", metadata: ["job": "\(rejection.jobID ?? "-")", "reason": "\(rejection)"])
        ledger.oweMore(entry)
        tell(rejection, of: inbound, traceparent: inbound.traceparent, entry: entry)
    }

    /// It has come back as dropped, and was told when it was rejected: rejected again, it goes to the dead letters.
    func leaveToBroker(_ inbound: InboundJob) {
        var inbound = inbound
        inbound.isUntakeable = true
        settle([inbound])
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
