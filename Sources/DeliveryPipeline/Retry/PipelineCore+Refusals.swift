import AMQPClient
import Logging
import PushModel

/// A message without a confirm.
struct UnconfirmedMessage {
    var publication: AMQPPublication
    /// The event that it is, or that waits in it.
    let event: HeldEvent?
    /// A job as it came: until the broker takes it, the broker has it where it came from.
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
/// | anything else | offered again after 1, 5, 30, 120, 900 seconds; its job stays open |
/// | a job as it came, whose connection is lost | forgotten: the broker has it, and delivers it again |
/// | a retry or a job as it came, for 18 minutes | put into the dead-letter queue, and an event says so |
/// | a chunk or a job under its new name, for 18 minutes | as if it were too large |
/// | for the dead-letter queue | offered again after 900 seconds, then every hour |
/// | too large, or not to be carried by AMQP | never offered again: the broker dead-letters its jobs, and an event says so |
/// | such, and a chunk | its job is split no further, too |
///
/// What is to be offered again waits here. Its job's recipients take room of `maximumInFlight` meanwhile, and its delivery a
/// place of the prefetch, so there are never more than these over one connection.
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
            if message.publication.exchange == configuration.names.results, var event = message.event {
                event.failures += message.refusals
                if event.failures > 1, hold(event, id: id, because: reason) { continue }
            }
            if message.event == nil, message.refusals > RefusalLadder.mostOfJobs,
                message.publication.exchange != configuration.names.dead
            {
                giveUp(id, after: RefusalLadder.secondsOfJobs, because: reason)
                continue
            }
            waiting[RefusalLadder.seconds(afterFailures: message.refusals), default: []].append(id)
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

    /// Jobs as they came: the connection is lost over which they did, and the broker delivers them again. Kept, each loss
    /// would add a copy of every one that the broker does not take.
    func forgetMoves(of queues: [JobQueue]) {
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

    /// It has been offered for as long as its job may stay open.
    private func giveUp(_ id: UInt64, after seconds: Int, because reason: String) {
        guard let message = unconfirmed[id], let share = ledger.shares(of: id).first,
            let inbound = ledger.delivery(of: share.entry)
        else { return }
        let problem = "\(message.publication.exchange) has not taken it for \(seconds) s: \(reason)"
        if scatterings.steps[id] != nil { return leaveJobs(of: id, because: problem) }
        let dead = messages.dead(message.publication, lane: inbound.lane, reason: problem)
        unconfirmed[id] = UnconfirmedMessage(publication: dead, event: nil, isMove: message.isMove)
        outbox.append(dead)
        tellRejection(of: inbound, entry: share.entry, field: "message", problem)
    }

    /// The same message would be refused the same way tomorrow.
    private func leaveJobs(of returned: AMQPReturn) {
        guard let publication = unconfirmed[returned.id]?.publication else { return }
        leaveJobs(
            of: returned.id,
            because: "made a message of \(publication.body.count) bytes for \(publication.exchange) that the broker never "
                + "takes: \(returned.code) \(returned.text)")
    }

    /// Nothing that is made of these jobs is taken. The broker has the jobs themselves, and can put them among the dead
    /// letters without our publishing them.
    private func leaveJobs(of id: UInt64, because problem: String) {
        unconfirmed[id] = nil
        for share in ledger.shares(of: id) {
            guard var inbound = ledger.delivery(of: share.entry), !inbound.isUntakeable else { continue }
            inbound.isUntakeable = true
            ledger.replaceDelivery(of: share.entry, by: inbound)
            let plan = splitNoFurther(share.entry)
            // Of those that the broker has dropped it was told why.
            if inbound.drop != nil { continue }
            tellRejection(of: inbound, entry: share.entry, field: "body", problem + (plan.map(\.progress) ?? ""))
        }
        goOnSplitting(after: id)
        settle(ledger.met(group: id))
    }

    private func tellRejection(of inbound: InboundJob, entry: Int, field: String, _ problem: String) {
        let rejection = JobRejection(
            jobID: inbound.delivery.properties.messageID, app: nil, faults: [.init(field: field, problem: problem)])
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
