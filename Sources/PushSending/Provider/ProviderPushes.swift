internal import Foundations
package import HTTP2Pool
internal import HTTP2Session
package import Logging
internal import PushModel

/// The client of a connection pool that sends a provider's requests and interprets the answers. Used only on the pool's
/// event loop.
package final class ProviderPushes {
    /// The longest remaining pause for which pushes wait in this process, in milliseconds. If more of the pause
    /// remains, they wait in a delay queue.
    private static let longestWaitMilliseconds: Int64 = 5_000

    private let provider: any PushProvider
    private let dispatcher: CredentialDispatcher
    private let service: String
    private let logger: Logger
    private var pause = ProviderPause()
    private var isPaused = false
    /// The provider's reason for the last pause.
    private var pauseReason = ""
    /// The header fields of incomplete answers, by tag.
    private var fields: [Int: [String: String]] = [:]
    /// The last request, whose path the pool reads after ``next(onlyUrgent:now:)`` has returned.
    private var last: PushRequest?

    /// - Parameter service: The provider's name in the log.
    package init(
        _ provider: any PushProvider, _ dispatcher: CredentialDispatcher, service: String, logger: Logger
    ) {
        self.provider = provider
        self.dispatcher = dispatcher
        self.service = service
        self.logger = logger
    }

    // MARK: Answers

    private func settle(_ sent: PushOnWire, _ answer: PushAnswer, after milliseconds: Int64, at now: Moment) {
        func report(
            _ verdict: Outcome.Verdict, _ fault: PushFault, seconds: Int = 0, unregisteredAt: Timestamp? = nil
        ) {
            let delay = verdict.isTriedAgain ? Int32(clamping: max(seconds, answer.retryAfterSeconds)) : 0
            dispatcher.settle(
                Outcome(
                    job: sent.push.job.routed, recipient: sent.push.recipient, verdict: verdict, status: answer.status,
                    reason: fault.reason, detail: fault.detail, judge: .provider, unregisteredAt: unregisteredAt,
                    retryAfterSeconds: delay, at: now.wall),
                of: sent.push.job)
        }
        switch provider.meaning(of: answer) {
        case .accepted(let id):
            pause.accepted(writtenAt: sent.writtenAt)
            var sent = sent
            sent.providerID = id.flatMap { ProviderID($0) }
            dispatcher.settleSent(sent, .credential, status: answer.status, at: now)
        case .unregistered(let fault):
            dispatcher.health.accepted(.credential, sent, now: now)
            let sentAt = Timestamp(milliseconds: now.wall.milliseconds - milliseconds)
            report(.unregistered, fault, unregisteredAt: sentAt)
        case .rejected(let fault): report(.rejected, fault)
        case .retry(let fault, let seconds): report(.retry, fault, seconds: seconds)
        case .throttled(let fault, let seconds):
            report(.retry, fault, seconds: seconds)
            throttled(sent, seconds: max(seconds, answer.retryAfterSeconds), because: fault.reason, at: now)
        case .credentialRefused(let fault):
            let consequence = dispatcher.refuse(sent, isAmbiguous: false, reason: fault.reason, at: now)
            report(consequence.verdict, fault, seconds: Int(consequence.seconds))
        case .refusedAmbiguously(let fault):
            let consequence = dispatcher.refuse(sent, isAmbiguous: true, reason: fault.reason, at: now)
            report(consequence.verdict, fault, seconds: Int(consequence.seconds))
        case .unknown(let fault): report(.unknown, fault)
        }
    }

    private func throttled(_ sent: PushOnWire, seconds: Int, because reason: String, at now: Moment) {
        let isNew = pause.throttled(
            seconds: seconds, writtenAt: sent.writtenAt, now: now.uptime, random: .random(in: 0..<1))
        isPaused = true
        pauseReason = reason
        let rest = pause.rest(at: now.uptime)
        if isNew {
            logger.warning(
                .serviceThrottles, "\(service) limits the rate of this credential; its pushes wait",
                metadata: ["reason": "\(reason)", "milliseconds": "\(rest)"])
        }
        requeue(now)
    }

    /// Moves the waiting pushes to delay queues if more than ``longestWaitMilliseconds`` of the pause remains.
    private func requeue(_ now: Moment) {
        let rest = pause.rest(at: now.uptime)
        guard rest > Self.longestWaitMilliseconds else { return }
        dispatcher.putAside(reason: pauseReason, seconds: Int32(clamping: (rest + 999) / 1_000), at: now)
    }
}

extension ProviderPushes: PoolClient {
    package var waiting: Int { isPaused ? 0 : dispatcher.waiting }
    package var isEmpty: Bool { dispatcher.isEmpty }

    package func turnBegins(now: Int64) {
        dispatcher.turnBegins(now: now)
        isPaused = pause.rest(at: now) > 0
        if isPaused { requeue(dispatcher.moment(now)) }
    }

    package func next(onlyUrgent: Bool, now: Int64) -> PoolRequest? {
        let now = dispatcher.moment(now)
        while !isPaused, let push = dispatcher.next(onlyUrgent: onlyUrgent, at: now) {
            let job: ProviderJob = push.job.typed()
            do throws(PushFault) {
                let request = try job.request(job.routed.job.recipients[push.recipient])
                last = request
                let tag = dispatcher.putOnWire(push)
                return request.path.withUnsafeBytes {
                    PoolRequest(tag: tag, path: $0, fields: request.fields, body: request.body)
                }
            } catch {
                dispatcher.settle(push, .rejected, reason: error.reason, detail: error.detail, at: now)
            }
        }
        return nil
    }

    package func filled(isUsable: Bool, now: Int64) {}

    package func turnEnds() { dispatcher.turnEnds() }

    package func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        fields[tag, default: [:]][String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
    }

    package func answered(_ tag: Int, _ answer: PoolAnswer, now: Int64) -> ConnectionVerdict {
        let fields = fields.removeValue(forKey: tag) ?? [:]
        guard let sent = dispatcher.takeOffWire(tag) else { return .keep }
        let now = dispatcher.moment(now)
        dispatcher.health.hostAnswered(now: now)
        settle(sent, PushAnswer(answer, fields: fields, now: now.wall), after: answer.milliseconds, at: now)
        return .keep
    }

    package func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64) {
        fields[tag] = nil
        dispatcher.unprocessed(tag, now: now)
    }

    package func lost(_ tag: Int, _ loss: RequestLoss, now: Int64) {
        fields[tag] = nil
        dispatcher.lost(tag, loss, now: now)
    }

    package func goAway(debugData: [UInt8], now: Int64) -> String? {
        debugData.isEmpty ? nil : String(decoding: debugData.prefix(100), as: UTF8.self)
    }

    package func connectFailed(_ error: any Error, isLast: Bool, now: Int64) {
        dispatcher.connectFailed(isLast: isLast, now: now)
    }

    package func tick(now: Int64) { dispatcher.tick(now: now) }
}
