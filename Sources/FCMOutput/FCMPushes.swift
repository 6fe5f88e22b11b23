import Foundations
import HTTP2Pool
import HTTP2Session
import Logging
import PushModel
import PushSending

/// The FCM side of a connection pool. It builds the requests at the rate that the project's quota allows, and
/// interprets the answers. Used only on the pool's event loop.
final class FCMPushes {
    /// The longest pause of a project during which its messages wait in this process, in milliseconds. During a longer
    /// pause they wait in the broker.
    private static let longestWaitHere: Int64 = 5_000
    /// The maximum time for which messages wait in this process for the quota, in seconds. Messages that would wait
    /// longer wait in the broker instead, so that no delivery stays open until the broker's timeout.
    private static let secondsHere = 60.0
    /// The reason in the outcomes of messages that wait because no access token is available.
    static let noAccessToken = "NoAccessToken"

    private let dispatcher: CredentialDispatcher
    private let tokens: AccessTokenSource
    private let quota: ProjectQuota
    private let logger: Logger
    /// The `:path` of every request.
    private let path: UnsafeRawBufferPointer
    private let noFields: HTTP2Fields
    /// The number of messages that may still be sent in this turn.
    private var room = 0
    /// The latest time at which a request that FCM accepted was written, in milliseconds of `Uptime`.
    @exclusivity(unchecked) private var acceptedWrittenAt = Int64.min
    /// Whether FCM refused the access token in its last answer.
    @exclusivity(unchecked) private var isUnauthenticated = false
    /// A closure that schedules the pool's next turn after a number of milliseconds.
    var wake: (Int64) -> Void = { _ in }

    init(
        _ dispatcher: CredentialDispatcher, tokens: AccessTokenSource, quota: ProjectQuota,
        project: String, logger: Logger
    ) throws(HTTP2Error) {
        self.dispatcher = dispatcher
        self.tokens = tokens
        self.quota = quota
        self.logger = logger
        noFields = try HTTP2Fields([])
        let text = Array("/v1/projects/\(project)/messages:send".utf8)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
        memory.copyBytes(from: text)
        path = UnsafeRawBufferPointer(memory)
    }

    deinit { path.deallocate() }

    /// Records that FCM asks the project to send nothing for some seconds.
    private func projectMustWait(_ seconds: Int32, because reason: String, now: Moment) {
        if quota.mustWait(seconds, because: reason, now: now.uptime) {
            logger.warning(
                .projectMustWait, "FCM throttles a project",
                metadata: [
                    "reason": "\(reason)", "seconds": "\(min(seconds, ProjectQuota.longestWaitSeconds))",
                    "asked_for": "\(seconds)",
                ])
        }
        room = 0
    }

    private func putAsideWhatWaits(now: Int64) {
        guard dispatcher.waiting > 0 else { return }
        if let obstacle = quota.obstacle(now: now), obstacle.milliseconds > Self.longestWaitHere {
            let seconds = Int32((obstacle.milliseconds + 999) / 1_000)
            dispatcher.putAside(reason: obstacle.reason, seconds: seconds, at: dispatcher.moment(now))
        }
        guard let room = quota.room(within: Self.secondsHere, now: now) else { return }
        let most = max(1, room)
        if dispatcher.waiting > most {
            dispatcher.putAside(allBut: most, reason: "QUOTA_EXCEEDED", at: dispatcher.moment(now))
        }
    }
}

extension FCMPushes: PoolClient {
    var waiting: Int { min(dispatcher.waiting, room) }
    var isEmpty: Bool { dispatcher.isEmpty }

    func turnBegins(now: Int64) {
        dispatcher.turnBegins(now: now)
        putAsideWhatWaits(now: now)
        room = dispatcher.waiting > 0 ? quota.draw(upTo: dispatcher.waiting, now: now) : 0
    }

    func next(onlyUrgent: Bool, now: Int64) -> PoolRequest? {
        let now = dispatcher.moment(now)
        while room > 0, let push = dispatcher.next(onlyUrgent: onlyUrgent, at: now) {
            let message: PreparedMessage = push.job.typed()
            do throws(FCMFault) {
                let body = try message.body(for: push.job.routed.job.recipients[push.recipient], now: now.wall)
                room -= 1
                return PoolRequest(tag: dispatcher.putOnWire(push), path: path, fields: noFields, body: body)
            } catch {
                dispatcher.settle(push, .rejected, reason: error.reason, detail: error.detail, at: now)
            }
        }
        return nil
    }

    func filled(isUsable: Bool, now: Int64) {
        guard dispatcher.waiting > 0 else { return }
        if !isUsable { withoutToken(tokens.current(now: now), now: now) }
        guard dispatcher.waiting > 0, room == 0 else { return }
        wake(quota.wait(now: now))
    }

    private func withoutToken(_ answer: AccessTokenCache.Answer, now: Int64) {
        switch answer {
        case .token, .pending: break
        case .unavailable: dispatcher.putAside(reason: Self.noAccessToken, at: dispatcher.moment(now))
        case .refused(let refusal):
            tokens.reportRefusal(refusal, now: now)
            dispatcher.putAside(reason: refusal.error, seconds: tokens.pause(now: now), at: dispatcher.moment(now))
        }
    }

    func turnEnds() {
        quota.refund(room)
        room = 0
        dispatcher.turnEnds()
    }

    func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard name.is("retry-after"), let seconds = RetryAfter.seconds(value, now: dispatcher.now) else { return }
        dispatcher.update(tag) { $0.withExtras { $0.retryAfterSeconds = seconds } }
    }

    func answered(_ tag: Int, _ answer: PoolAnswer, now: Int64) -> ConnectionVerdict {
        guard var sent = dispatcher.takeOffWire(tag) else { return .keep }
        let now = dispatcher.moment(now)
        dispatcher.health.hostAnswered(now: now)
        isUnauthenticated = false
        guard answer.status == 200 else { return refused(sent, answer, at: now) }
        sent.providerID = FCMSuccessBody.name(in: answer.body)
        let message: PreparedMessage = sent.push.job.typed()
        message.accept(for: message.routed.job.recipients[sent.push.recipient])
        acceptedWrittenAt = max(acceptedWrittenAt, sent.writtenAt)
        dispatcher.settleSent(sent, .credential, status: 200, at: now)
        return .keep
    }

    private func refused(_ sent: PushOnWire, _ answer: PoolAnswer, at now: Moment) -> ConnectionVerdict {
        let message: PreparedMessage = sent.push.job.typed()
        let body = FCMErrorBody(answer.body, isCut: answer.isTooLong)
        let refusal = FCMRefusal(of: message, sent, answer, body, at: now)
        let meaning = FCMAnswer(
            status: answer.status, body, retryAfter: sent.retryAfterSeconds,
            isBroadcast: refusal.recipient.kind.isBroadcast)
        if refusal.mayConcernRecipient, meaning == .payloadRefused || meaning == .refused, !meaning.isAboutToken(body) {
            dispatcher.sendOnceMore(sent.push, at: now)
            return .keep
        }
        let isBad = refusal.isRecipientAtFault || meaning.isAboutToken(body)
        message.tokens?.answered(bad: isBad ? refusal.reason : nil, now: now)
        if meaning == .unauthenticated { isUnauthenticated = true }
        if meaning.acceptsCredential { dispatcher.health.accepted(.credential, sent, now: now) }
        switch meaning {
        case .payloadRefused where !refusal.isRecipientAtFault:
            message.refuse(FCMFault(reason: refusal.reason, detail: body.detail ?? ""), to: refusal.recipient)
            dispatcher.settle(refusal.outcome(.rejected), of: message)
        case .payloadRefused, .refused, .tokenRefused: dispatcher.settle(refusal.outcome(.rejected), of: message)
        case .tokenDead:
            dispatcher.settle(
                refusal.outcome(refusal.recipient.kind.isBroadcast ? .rejected : .unregistered), of: message)
        case .unauthenticated where !sent.push.isRepeated:
            dispatcher.sendOnceMore(sent.push, at: now)
            return replacement(for: sent)
        case .unauthenticated, .doubtful:
            // A second 401, with a new access token, states that FCM refuses the account.
            let consequence = dispatcher.refuse(
                sent, isAmbiguous: meaning == .doubtful, reason: refusal.reason, at: now)
            let seconds = consequence.seconds > 0 ? consequence.seconds : nil
            dispatcher.settle(refusal.outcome(consequence.verdict, retryAfter: seconds), of: message)
        case .retryAfter(let seconds): dispatcher.settle(refusal.outcome(.retry, retryAfter: seconds), of: message)
        case .retry: dispatcher.settle(refusal.outcome(.retry), of: message)
        case .projectMustWait(let seconds):
            dispatcher.settle(refusal.outcome(.retry, retryAfter: seconds), of: message)
            projectMustWait(seconds, because: refusal.reason, now: now)
        }
        return .keep
    }

    /// Returns the verdict on the connection of a request that got a 401. If a request that was written later was
    /// accepted, the access token is valid, so the connection is kept. Otherwise it is replaced.
    private func replacement(for sent: PushOnWire) -> ConnectionVerdict {
        acceptedWrittenAt > sent.writtenAt ? .keep : .replaceExpired
    }

    func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64) { dispatcher.unprocessed(tag, now: now) }

    func lost(_ tag: Int, _ loss: RequestLoss, now: Int64) { dispatcher.lost(tag, loss, now: now) }

    func goAway(debugData: [UInt8], now: Int64) -> String? {
        debugData.isEmpty ? nil : String(decoding: debugData.prefix(100), as: UTF8.self)
    }

    func connectFailed(_ error: any Error, isLast: Bool, now: Int64) {
        dispatcher.connectFailed(isLast: isLast, now: now)
    }

    func tick(now: Int64) {
        // While no request is unanswered, silence is not measured if the pool waits for the quota, for an access token,
        // or for a new connection after FCM refused the token.
        if dispatcher.hasNothingOnWire, isUnauthenticated || quota.wait(now: now) > 1 || !tokens.hasToken(now: now) {
            dispatcher.health.waitBegins(now: dispatcher.moment(now))
        }
        dispatcher.tick(now: now)
        tokens.count(now: now)
    }
}
