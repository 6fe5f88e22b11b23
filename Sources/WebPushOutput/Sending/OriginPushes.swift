import Foundations
import HTTP2Pool
import HTTP2Session
import PushModel
import PushSending

/// The Web Push side of a connection pool. It builds the messages to one origin and interprets the answers. Used only
/// on the origin's event loop.
final class OriginPushes {
    /// The maximum number of messages that are written in one turn. Encryption takes time, and other work waits for the
    /// event loop.
    private static let messagesPerTurn = 64

    private let origin: Endpoint
    private let service: PushService
    private let writer: MessageWriter
    private let fields: OriginFields
    let health: OriginHealth
    private let dispatcher: PushDispatcher
    /// The messages on the wire, by tag. Exclusivity checks are off on this hot path, here and below, because only one
    /// thread uses this object.
    @exclusivity(unchecked) private var onWire: [MessageOnWire?] = []
    @exclusivity(unchecked) private var writtenThisTurn = 0

    init(
        to origin: Endpoint, writer: MessageWriter, health: OriginHealth, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.origin = origin
        self.writer = writer
        self.health = health
        dispatcher = PushDispatcher(rules: health, clock: clock)
        service = PushService(host: origin.host)
        fields = OriginFields(to: origin, of: service)
    }

    /// Whether there are no messages that wait or are on the wire.
    var isIdle: Bool { dispatcher.isEmpty && dispatcher.hasNothingOnWire }

    func take(_ job: OriginJob, now: Int64) { dispatcher.take(job, at: dispatcher.moment(now)) }

    /// Stops sending. Waiting messages are returned in the next turn.
    func stop() { dispatcher.stop() }

    /// Cancels waiting messages. Messages on the wire continue. If the service does not process one of them, it fails
    /// and is not sent again.
    func cancel(_ isMeant: (RoutedJob) -> Bool, now: Int64) { dispatcher.cancel(isMeant, now: now) }

    /// Returns whether the message with this tag belongs to a matching job. If so, marks the job as cancelled.
    func isOnWire(_ tag: Int, of isMeant: (RoutedJob) -> Bool) -> Bool { dispatcher.isOnWire(tag, of: isMeant) }

    /// Removes retired credentials. Their waiting messages are returned and routed again.
    func retire(_ isMeant: (Credential.ID) -> Bool, now: Int64) {
        health.retire(isMeant)
        dispatcher.holdQueued(at: dispatcher.moment(now))
    }

    // MARK: Requests

    /// Returns the request for a message, and puts the message on the wire.
    private func request(for push: QueuedPush, at now: Moment) throws -> PoolRequest {
        let job: OriginJob = push.job.typed()
        let recipient = job.routed.job.recipients[push.recipient]
        let entry = try fields.entry(for: job, now: now.wall)
        let body = try writer.body(for: recipient, of: job.job, now: now.wall)
        let tag = dispatcher.putOnWire(push)
        while onWire.count <= tag { onWire.append(nil) }
        onWire[tag] = MessageOnWire(token: entry.token, sentAt: now.wall)
        return PoolRequest(
            tag: tag, path: writer.path(of: recipient, in: job.routed.job),
            fields: body == nil ? entry.fields.withoutBody : entry.fields.withBody, body: body ?? .empty)
    }

    // MARK: Answers

    private func accepted(_ sent: PushOnWire, _ message: MessageOnWire, _ status: Int, at now: Moment) {
        message.token.proof.accepted(uptime: now.uptime)
        health.accepted(sent.push.job.typed(as: OriginJob.self).key, writtenAt: sent.writtenAt, now: now)
        sent.push.job.tokens?.answered(bad: nil, now: now)
        settle(sent, message, .sent, status, at: now)
    }

    private func refused(_ sent: PushOnWire, _ message: MessageOnWire, _ answer: PoolAnswer, at now: Moment) {
        let job: OriginJob = sent.push.job.typed()
        let words = RefusalBody(answer.body)
        let meaning = WebPushAnswer(
            status: answer.status, words: words, from: service, hasRetryAfter: sent.retryAfterSeconds > 0)
        let reason = meaning.reason(status: answer.status, words: words)
        switch meaning {
        case .credentialRefused, .unauthorized:
            let isExplained = meaning == .credentialRefused
            return keyRefused(sent, message, isExplained: isExplained, answer.status, reason, at: now)
        case .keyMismatch: job.tokens?.answered(bad: reason, now: now)
        case .busy:
            job.tokens?.answered(bad: nil, now: now)
            let begins = health.busy(job.key, sent, status: answer.status, reason: reason, now: now)
            if begins { dispatcher.holdQueued(at: now) }
        default:
            job.tokens?.answered(bad: nil, now: now)
            if meaning.showsAuthorization { health.authorized(job.key, writtenAt: sent.writtenAt, now: now) }
        }
        settle(sent, message, meaning.verdict, answer.status, reason, at: now)
    }

    private func keyRefused(
        _ sent: PushOnWire, _ message: MessageOnWire, isExplained: Bool, _ status: Int, _ reason: String,
        at now: Moment
    ) {
        let job: OriginJob = sent.push.job.typed()
        let token = message.token
        let verdict = KeyTrust.verdict(
            isExplained: isExplained, acceptedAt: token.proof.acceptedAt, nowMilliseconds: now.uptime,
            tokenAgeSeconds: token.schedule.ageSeconds(now: now.wall), isRepeated: sent.push.isRepeated)
        switch verdict {
        case .foreignSubscription: rejectForeign(sent, message, status, reason, at: now)
        case .signAgain:
            job.job.identity.refused(token, by: origin)
            job.fieldsSecond = .min
            dispatcher.sendAgain(sent.push.repeated, at: now)
        case .keyInDoubt, .keyRefused:
            let consequence = health.refused(
                job.key, sent, isAmbiguous: verdict == .keyInDoubt, reason: reason, now: now)
            if consequence.verdict == .rejected { return rejectForeign(sent, message, status, reason, at: now) }
            job.tokens?.answered(bad: nil, now: now)
            settle(sent, message, consequence.verdict, status, reason, seconds: consequence.seconds, at: now)
            dispatcher.holdQueued(at: now)
        }
    }

    /// Rejects a message whose subscription seems to belong to another key, and counts it as a key mismatch.
    private func rejectForeign(
        _ sent: PushOnWire, _ message: MessageOnWire, _ status: Int, _ reason: String, at now: Moment
    ) {
        sent.push.job.tokens?.answered(bad: WebPushAnswer.mismatch, now: now)
        settle(sent, message, .rejected, status, reason, at: now)
    }

    /// Settles a message with the outcome of the service's answer.
    ///
    /// - Parameter seconds: The minimum delay before another attempt, in seconds. It applies if the answer asks for a
    ///   shorter delay or none.
    private func settle(
        _ sent: PushOnWire, _ message: MessageOnWire, _ verdict: Outcome.Verdict, _ status: Int,
        _ reason: String? = nil, seconds: Int32 = 0, at now: Moment
    ) {
        let outcome = Outcome(
            job: sent.push.job.routed, recipient: sent.push.recipient, verdict: verdict, status: status,
            reason: reason, judge: .provider, providerID: sent.providerID,
            // A service does not report when it found the subscription dead. The time of sending is used, so a later
            // registration of the same address counts as alive.
            unregisteredAt: verdict == .unregistered ? message.sentAt : nil,
            retryAfterSeconds: verdict.isTriedAgain ? max(sent.retryAfterSeconds, seconds) : 0, at: now.wall)
        dispatcher.settle(outcome, of: sent.push.job)
    }
}

extension OriginPushes: PoolClient {
    var waiting: Int { dispatcher.waiting }

    var yieldsTurn: Bool { writtenThisTurn >= Self.messagesPerTurn }

    func turnBegins(now: Int64) {
        writtenThisTurn = 0
        dispatcher.turnBegins(now: now)
    }

    func next(onlyUrgent: Bool, now: Int64) -> PoolRequest? {
        let now = dispatcher.moment(now)
        while !yieldsTurn, let push = dispatcher.next(onlyUrgent: onlyUrgent, at: now) {
            writtenThisTurn += 1
            do {
                return try request(for: push, at: now)
            } catch let fault as WebPushFault {
                dispatcher.settle(push, .rejected, reason: fault.reason, at: now)
            } catch {
                dispatcher.settle(push, .failed, reason: SendingReason.credentialUnusable, at: now)
            }
        }
        return nil
    }

    func filled(isUsable: Bool, now: Int64) {
        if isUsable { health.hasConnection() }
    }

    func crowdedOut(now: Int64) { health.crowdedOut(now: dispatcher.moment(now)) }

    func turnEnds() { dispatcher.turnEnds() }

    func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        if name.is("location") {
            // Apple's answers have `location` and `apns-id`. Apple's tools use the value of `apns-id`.
            dispatcher.update(tag) { sent in
                if sent.providerID == nil { sent.providerID = ProviderID(String(decoding: value, as: UTF8.self)) }
            }
        } else if name.is("apns-id") {
            let id = ProviderID(ascii: value.assumingMemoryBound(to: UInt8.self))
            dispatcher.update(tag) { $0.providerID = id ?? $0.providerID }
        } else if name.is("retry-after"), let seconds = RetryAfter.seconds(value, now: dispatcher.now) {
            dispatcher.update(tag) { $0.withExtras { $0.retryAfterSeconds = seconds } }
        }
    }

    func answered(_ tag: Int, _ answer: PoolAnswer, now: Int64) -> ConnectionVerdict {
        guard let sent = dispatcher.takeOffWire(tag), let message = onWire[tag] else { return .keep }
        let now = dispatcher.moment(now)
        health.answered(now: now)
        if (200..<300).contains(answer.status) {
            accepted(sent, message, answer.status, at: now)
        } else {
            refused(sent, message, answer, at: now)
        }
        return .keep
    }

    func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64) { dispatcher.unprocessed(tag, now: now) }

    func lost(_ tag: Int, _ loss: RequestLoss, now: Int64) { dispatcher.lost(tag, loss, now: now) }

    func goAway(debugData: [UInt8], now: Int64) -> String? { RefusalBody(debugData).reason }

    /// Records that a connection could not be made. If no other connection is open or connecting, queued messages wait
    /// in the broker until the origin's next probe, or are rejected if the address is disallowed.
    func connectFailed(_ error: any Error, isLast: Bool, now: Int64) {
        guard isLast, case ConnectError.addressRefused = error else {
            return dispatcher.connectFailed(isLast: isLast, now: now)
        }
        let now = dispatcher.moment(now)
        health.addressRefused(now: now)
        dispatcher.holdQueued(at: now)
    }

    func tick(now: Int64) {
        let moment = dispatcher.moment(now)
        if health.isCrowdedOut(now: moment) { dispatcher.putAside(reason: "TooManyConnections", at: moment) }
        dispatcher.tick(now: now)
    }
}

extension HTTP2Body {
    fileprivate static let empty = HTTP2Body([])
}
