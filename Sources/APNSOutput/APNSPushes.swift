package import HTTP2Pool
import HTTP2Session
import PushModel
package import PushSending

/// The client of an APNs pool. It creates the requests of the pool's pushes and interprets the answers. The object is
/// used only on the pool's event loop.
package final class APNSPushes {
    /// The reason in the outcomes of pushes that wait because no provider token is available.
    static let noProviderToken = "NoProviderToken"

    private let dispatcher: CredentialDispatcher
    private let tokens: ProviderTokenSource?
    // Exclusivity checks are off on this hot path, because only one thread uses this object.
    @exclusivity(unchecked) private var path = DevicePath()
    private var broadcastPath = BroadcastPath()

    package init(_ dispatcher: CredentialDispatcher, tokens: ProviderTokenSource?) {
        self.dispatcher = dispatcher
        self.tokens = tokens
    }
}

extension APNSPushes: PoolClient {
    package var waiting: Int { dispatcher.waiting }
    package var isEmpty: Bool { dispatcher.isEmpty }

    package func turnBegins(now: Int64) { dispatcher.turnBegins(now: now) }

    package func next(onlyUrgent: Bool, now: Int64) -> PoolRequest? {
        let now = dispatcher.moment(now)
        while let push = dispatcher.next(onlyUrgent: onlyUrgent, at: now) {
            let prepared: PreparedJob = push.job.typed()
            let job = push.job.routed.job
            let recipient = job.recipients[push.recipient]
            do throws(APNSRequest.Fault) {
                let body = try prepared.body(for: recipient)
                let path = try path(of: recipient, in: job)
                return PoolRequest(tag: dispatcher.putOnWire(push), path: path, fields: prepared.fields, body: body)
            } catch {
                dispatcher.settle(push, .rejected, reason: error.reason, at: now)
            }
        }
        return nil
    }

    /// Returns the request path of a push. The memory is valid until the next call.
    private func path(of recipient: Recipient, in job: Job) throws(APNSRequest.Fault) -> UnsafeRawBufferPointer {
        if job.isBroadcast {
            if let path = broadcastPath.write(job.app) { return path }
            throw APNSRequest.Fault(reason: "BadTopic")
        }
        if let path = job.withBytes({ path.write(UnsafeBufferPointer(rebasing: $0[recipient.token])) }) { return path }
        throw APNSRequest.Fault(reason: "BadDeviceToken")
    }

    /// Moves the queued pushes to the delay queues if no provider token is available and no connection has one.
    package func filled(isUsable: Bool, now: Int64) {
        guard let tokens, waiting > 0, !isUsable, case .unavailable = tokens.current(now: tokens.now) else { return }
        dispatcher.putAside(reason: Self.noProviderToken, at: dispatcher.moment(now))
    }

    package func turnEnds() { dispatcher.turnEnds() }

    package func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        // According to Apple's pages, the answer to a broadcast has one of these two fields.
        if name.is("apns-id") || name.is("apns-request-id") {
            dispatcher.setProviderID(tag, ascii: value)
        } else if name.is("apns-unique-id") {
            dispatcher.update(tag) { $0.withExtras { $0.uniqueID = String(decoding: value, as: UTF8.self) } }
        } else if name.is("retry-after"), let seconds = RetryAfter.seconds(value, now: dispatcher.now) {
            // Apple does not document this field for APNs. If APNs sends it, its delay is used.
            dispatcher.update(tag) { $0.withExtras { $0.retryAfterSeconds = seconds } }
        }
    }

    package func answered(_ tag: Int, _ answer: PoolAnswer, now: Int64) -> ConnectionVerdict {
        guard let sent = dispatcher.takeOffWire(tag) else { return .keep }
        let now = dispatcher.moment(now)
        dispatcher.health.hostAnswered(now: now)
        guard answer.status == 200 else { return refused(sent, answer, at: now) }
        dispatcher.settleSent(
            sent, .topic, status: 200,
            trimmedBytes: sent.push.job.typed(as: PreparedJob.self).trimmedBytes(for: sent.push.recipient), at: now)
        return .keep
    }

    private func refused(_ sent: PushOnWire, _ answer: PoolAnswer, at now: Moment) -> ConnectionVerdict {
        let body = APNSErrorBody(answer.body)
        let job = sent.push.job
        let reason = body.reason ?? "Status\(answer.status)"
        job.tokens?.answered(bad: body.reason.flatMap(BadToken.init)?.rawValue, now: now)
        let consequence = APNSReason.classify(status: answer.status, reason: body.reason)
            .consequence(isRepeated: sent.push.isRepeated, isBroadcast: job.routed.job.isBroadcast)
        if let accepted = consequence.accepts { dispatcher.health.accepted(accepted, sent, now: now) }
        let refusal = consequence.refuses.map {
            dispatcher.refuse(sent, $0, isAmbiguous: consequence.isAmbiguous, reason: reason, at: now)
        }
        if let verdict = consequence.verdict(refusal) {
            dispatcher.settle(
                Outcome(
                    job: job.routed, recipient: sent.push.recipient, verdict: verdict, status: answer.status,
                    reason: reason, judge: .provider, providerID: sent.providerID,
                    // A later registration must be able to revive the token, so a time in the future is not used.
                    unregisteredAt: verdict == .unregistered ? min(body.timestamp ?? now.wall, now.wall) : nil,
                    retryAfterSeconds: verdict.isTriedAgain ? max(sent.retryAfterSeconds, refusal?.seconds ?? 0) : 0,
                    at: now.wall),
                of: job)
        } else {
            dispatcher.sendAgain(sent.push.repeated, isCounted: false, at: now)
        }
        return body.reason == "ExpiredProviderToken" ? .replaceExpired : consequence.connection
    }

    package func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64) { dispatcher.unprocessed(tag, now: now) }

    package func lost(_ tag: Int, _ loss: RequestLoss, now: Int64) { dispatcher.lost(tag, loss, now: now) }

    package func goAway(debugData: [UInt8], now: Int64) -> String? {
        let reason = APNSErrorBody(debugData).reason
        if let reason, APNSReason.refusesCredential(reason) {
            dispatcher.refuseCredential(reason: reason, at: dispatcher.moment(now))
        }
        return reason
    }

    package func connectFailed(_ error: any Error, isLast: Bool, now: Int64) {
        if tokens == nil, ConnectError.refusesCertificate(error) {
            dispatcher.refuseCredential(reason: "BadCertificate", at: dispatcher.moment(now))
        }
        dispatcher.connectFailed(isLast: isLast, now: now)
    }

    package func tick(now: Int64) { dispatcher.tick(now: now) }
}
