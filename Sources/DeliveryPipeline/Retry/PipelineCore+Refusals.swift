import AMQPClient
import Logging
import PushModel

/// A message without a confirm.
struct UnconfirmedMessage {
    var publication: AMQPPublication
    /// The event that it is, or that waits in it.
    let event: HeldEvent?
    /// How often the broker would not take it.
    var refusals = 0
}

/// What the broker would not take.
///
/// | it is | then |
/// |---|---|
/// | an event, for the first time | offered again after a second |
/// | an event, again | put into a delay queue, to be offered when it comes back; its jobs are done |
/// | an event, for longer than `retry.maximum_age` | put into the dead-letter queue |
/// | anything else | offered again after 1, 5, 30, 120, 900 seconds, then every hour; its job stays open |
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
            message.refusals += 1
            unconfirmed[id] = message
            if message.publication.exchange == configuration.names.results, var event = message.event {
                event.failures += message.refusals
                if event.failures > 1, hold(event, id: id, because: reason) { continue }
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
        if returned.isFinal { return giveUp(returned) }
        refused([returned.id], because: "\(returned.code) \(returned.text)")
    }

    private func offerAgain(_ id: UInt64) {
        guard let message = unconfirmed[id] else { return }
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

    /// No message made of these jobs would be taken. The broker has the jobs themselves, and can put them among the dead
    /// letters without our publishing them.
    private func giveUp(_ returned: AMQPReturn) {
        guard let message = unconfirmed.removeValue(forKey: returned.id) else { return }
        let size = message.publication.body.count
        for share in ledger.shares(of: returned.id) {
            guard var inbound = ledger.delivery(of: share.entry), !inbound.isUntakeable else { continue }
            inbound.isUntakeable = true
            ledger.replaceDelivery(of: share.entry, by: inbound)
            let plan = splitNoFurther(share.entry)
            // Of those that the broker has dropped it was told why.
            if inbound.drop != nil { continue }
            let rejection = JobRejection(
                jobID: inbound.delivery.properties.messageID, app: nil,
                faults: [
                    .init(
                        field: "body",
                        problem: "made a message of \(size) bytes for \(message.publication.exchange) that the broker "
                            + "never takes: \(returned.code) \(returned.text)" + (plan.map(\.progress) ?? ""))
                ])
            counts.jobsRejected += 1
            logger.error(
                "A job was rejected", metadata: ["job": "\(rejection.jobID ?? "-")", "reason": "\(rejection)"])
            ledger.oweMore(share.entry)
            tell(rejection, of: inbound, traceparent: inbound.traceparent, entry: share.entry)
        }
        goOnSplitting(after: returned.id)
        settle(ledger.met(group: returned.id))
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
