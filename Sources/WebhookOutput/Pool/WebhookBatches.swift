import Foundation
import HTTP2Pool
import HTTP2Session
import PushModel
import PushSending

/// The client of a connection pool that sends pushes in signed batches and interprets the answers. Used only on the
/// pool's event loop.
///
/// The dispatcher has one entry on the wire for each batch: its first push. A refused batch is halved until each
/// recipient at fault has been refused alone. The other recipients use no attempt for this.
final class WebhookBatches {
    /// The longest pause during which pushes wait in this process, in milliseconds. During a longer pause they wait in
    /// a delay queue, so that other pushes can take their places.
    private static let longestWaitMilliseconds: Int64 = 5_000

    /// The time since the last accepted batch after which failures of several apps count as failures of the receiver,
    /// in milliseconds.
    private static let quietMilliseconds: Int64 = 5_000

    private struct Batch {
        /// The pushes. All of them belong to one job.
        let pushes: [QueuedPush]
        /// The time at which the batch was sent. Its wall-clock time is reported with `unregistered` outcomes, so that
        /// a later registration revives the token.
        let sentAt: Moment
        /// The size of the batch and the maximum size of its answer together, in bytes.
        let bytes: Int
        /// The delay in the answer's `Retry-After` in seconds, 0 if the field is unreadable, or `nil` without the
        /// field.
        var retryAfterSeconds: Int32?

        /// Whether the batch is a part of a halved batch, or belongs to an app with a failure in the last minute while
        /// other apps use the receiver too.
        let isSuspect: Bool

        var app: String { pushes[0].job.routed.job.app }
    }

    private let dispatcher: CredentialDispatcher
    private let signature: BatchSignature
    private let path: HTTP2Body
    private var concurrency: BatchConcurrency
    /// Whether the receiver is paused in this turn of the pool.
    private var isPaused = false
    /// The batches on the wire, by tag.
    private var onWire: [Int: Batch] = [:]
    private var bytesOnWire = 0
    /// The number of suspect batches on the wire.
    private var suspectsOnWire = 0
    private var lastWasSuspect = false
    /// The app of the last failure since the last answer, or `nil`.
    private var failingApp: String?
    private var lastPart: UInt32 = 0

    init(
        _ dispatcher: CredentialDispatcher, path: String, signature: BatchSignature,
        concurrency: BatchConcurrency
    ) {
        self.dispatcher = dispatcher
        self.path = HTTP2Body(path.utf8)
        self.signature = signature
        self.concurrency = concurrency
    }

    private func takeOffWire(_ tag: Int) -> (batch: Batch, first: PushOnWire)? {
        guard let first = dispatcher.takeOffWire(tag), let batch = onWire.removeValue(forKey: tag) else { return nil }
        bytesOnWire -= batch.bytes
        if batch.isSuspect { suspectsOnWire -= 1 }
        return (batch, first)
    }

    // MARK: Handling of answers

    private func reported(_ batch: Batch, _ answer: PoolAnswer, at now: Moment) {
        guard !answer.isTooLong, let reported = BatchAnswer(answer.body, recipients: batch.pushes.count) else {
            settle(batch, .unknown, answer.status, WebhookReason.badAnswer, at: now)
            return fail(batch, at: now)
        }
        failingApp = nil
        concurrency.answered(sentAt: batch.sentAt.uptime, inFlight: onWire.count + 1, nowMilliseconds: now.uptime)
        for (push, outcome) in zip(batch.pushes, reported.outcomes) {
            let outcome = outcome ?? ReportedOutcome(.unknown, reason: WebhookReason.notAnswered)
            push.job.tokens?.answered(bad: outcome.verdict == .rejected ? WebhookReason.rejected : nil, now: now)
            dispatcher.settle(
                Outcome(push, outcome, status: answer.status, sentAt: batch.sentAt.wall, at: now.wall), of: push.job)
        }
    }

    /// Settles or halves a batch whose contents the receiver refused.
    private func refused(_ batch: Batch, _ status: Int, at now: Moment) {
        concurrency.refused(sentAt: batch.sentAt.uptime, nowMilliseconds: now.uptime)
        let job: WebhookJob = batch.pushes[0].job.typed()
        if status == 413 { job.mostRecipients = min(job.mostRecipients, max(1, batch.pushes.count / 2)) }
        guard batch.pushes.count == 1 else { return halve(batch, at: now) }
        settle(
            batch, .rejected, status, status == 413 ? WebhookReason.payloadTooLarge : "Status\(status)",
            detail: "the receiver refused a batch with only this recipient", at: now)
    }

    /// Settles or halves a batch after an answer that refuses either the credential or a recipient.
    private func doubtful(_ batch: Batch, _ first: PushOnWire, _ status: Int, at now: Moment) {
        let reason = "Status\(status)"
        let consequence = dispatcher.refuse(first, isAmbiguous: true, reason: reason, at: now)
        guard batch.pushes.count == 1 else { return halve(batch, at: now) }
        settle(batch, consequence.verdict, status, reason, at: now)
    }

    /// Queues the two halves of a batch. Each half becomes a batch of its own.
    private func halve(_ batch: Batch, at now: Moment) {
        let middle = batch.pushes.count / 2
        for half in [batch.pushes[..<middle], batch.pushes[middle...]] {
            lastPart = lastPart == .max ? 1 : lastPart + 1
            for push in half { dispatcher.sendAgain(push.inGroup(lastPart), isCounted: false, at: now) }
        }
    }

    private func busy(_ batch: Batch, _ status: Int, at now: Moment) {
        let seconds = batch.retryAfterSeconds ?? 0
        concurrency.busy(
            seconds: seconds > 0 ? seconds : nil, sentAt: batch.sentAt.uptime, nowMilliseconds: now.uptime,
            random: .random(in: 0..<1))
        settle(batch, .retry, status, "Status\(status)", seconds: seconds, at: now)
        requeue(now)
    }

    /// Reduces the load and may pause, because the receiver has failed. If only this app's batches fail, other apps'
    /// batches continue as before.
    private func fail(_ batch: Batch, at now: Moment) {
        let job = batch.pushes[0].job
        dispatcher.health.requestFailed(job, now: now)
        let areSeveral = failingApp.map { $0 != batch.app } ?? false
        failingApp = batch.app
        let quiet = areSeveral ? Self.quietMilliseconds : .max
        guard !dispatcher.health.isAlone(job, quietMilliseconds: quiet, now: now) else { return }
        concurrency.failed(sentAt: batch.sentAt.uptime, nowMilliseconds: now.uptime, random: .random(in: 0..<1))
        requeue(now)
    }

    /// Moves the waiting pushes to delay queues if the receiver is paused for a long time.
    private func requeue(_ now: Moment) {
        let pause = concurrency.pause(nowMilliseconds: now.uptime)
        guard pause > Self.longestWaitMilliseconds else { return }
        dispatcher.putAside(reason: WebhookReason.paused, seconds: Int32(clamping: (pause + 999) / 1000), at: now)
    }

    private func settle(
        _ batch: Batch, _ verdict: Outcome.Verdict, _ status: Int, _ reason: String, detail: String? = nil,
        seconds: Int32 = 0, at now: Moment
    ) {
        for push in batch.pushes {
            dispatcher.settle(
                Outcome(
                    job: push.job.routed, recipient: push.recipient, verdict: verdict, status: status, reason: reason,
                    detail: detail, judge: .provider, retryAfterSeconds: seconds, at: now.wall),
                of: push.job)
        }
    }
}

extension WebhookBatches: PoolClient {
    /// An estimate of the number of batches that may be sent to the receiver now.
    var waiting: Int {
        if isPaused { return 0 }
        let waiting = dispatcher.waiting
        let batches = min(
            waiting, max(dispatcher.waitingJobs, (waiting + concurrency.recipients - 1) / concurrency.recipients))
        return takesAll ? min(batches, concurrency.batches - onWire.count) : takesUrgent && dispatcher.hasUrgent ? 1 : 0
    }

    private var takesAll: Bool { onWire.count < concurrency.batches && hasMemory }
    private var takesUrgent: Bool { onWire.count < concurrency.urgentBatches && hasMemory }
    private var hasMemory: Bool { onWire.isEmpty || bytesOnWire < BatchLimits.bytesOnWire }
    /// Whether suspect batches may be sent. They use at most half of the batches, so that a receiver that refuses or
    /// fails one app's batches still serves the others.
    private var takesSuspects: Bool { suspectsOnWire < max(1, concurrency.batches / 2) }
    /// Whether a batch that is not suspect is sent before the next suspect one. This matters if only one batch may be
    /// sent at a time.
    private var prefersOthers: Bool { concurrency.batches == 1 && lastWasSuspect }

    var isEmpty: Bool { dispatcher.isEmpty }

    func turnBegins(now: Int64) {
        dispatcher.turnBegins(now: now)
        requeue(dispatcher.moment(now))
        isPaused = concurrency.pause(nowMilliseconds: now) > 0
    }

    func next(onlyUrgent: Bool, now: Int64) -> PoolRequest? {
        let now = dispatcher.moment(now)
        guard waiting > 0 else { return nil }
        while let pushes = nextBatch(onlyUrgent: onlyUrgent || !takesAll, now) {
            let id = UUID().uuidString.lowercased()
            let body = pushes[0].job.typed(as: WebhookJob.self).body(id: id, recipients: pushes.map(\.recipient))
            let signed = signature.value(id: id, seconds: now.wall.seconds, body: body)
            guard let fields = try? HTTP2Fields.batch(id: id, seconds: now.wall.seconds, signature: signed) else {
                for push in pushes {
                    dispatcher.settle(push, .failed, reason: SendingReason.credentialUnusable, at: now)
                }
                continue
            }
            let answerBytes = BatchLimits.answerBytes(recipients: pushes.count)
            let batch = Batch(
                pushes: pushes, sentAt: now, bytes: body.count + answerBytes,
                isSuspect: pushes[0].group != 0 || dispatcher.health.hasFailed(pushes[0].job))
            let tag = dispatcher.putOnWire(pushes[0])
            onWire[tag] = batch
            bytesOnWire += batch.bytes
            if batch.isSuspect { suspectsOnWire += 1 }
            lastWasSuspect = batch.isSuspect
            return path.withUnsafeBytes {
                PoolRequest(
                    tag: tag, path: $0, fields: fields, body: HTTP2Body(body), maximumAnswerBytes: Int32(answerBytes))
            }
        }
        return nil
    }

    /// Returns the next batch, or `nil` if nothing may be sent.
    private func nextBatch(onlyUrgent: Bool, _ now: Moment) -> [QueuedPush]? {
        while true {
            var batch = fillBatch(onlyUrgent: onlyUrgent, takesSuspects: takesSuspects && !prefersOthers, now)
            if batch.isEmpty, takesSuspects { batch = fillBatch(onlyUrgent: onlyUrgent, takesSuspects: true, now) }
            guard let first = batch.first else { return nil }
            let job: WebhookJob = first.job.typed()
            guard job.sharedSize + job.size(of: first.recipient) > BatchLimits.bodyBytes else { return batch }
            // This recipient alone is too large, so the batch contains no others.
            dispatcher.settle(first, .rejected, reason: WebhookReason.payloadTooLarge, at: now)
        }
    }

    /// Returns the next recipients of one job, as many as fit into a batch.
    private func fillBatch(onlyUrgent: Bool, takesSuspects: Bool, _ now: Moment) -> [QueuedPush] {
        var count = 0
        var bytes = 0
        return dispatcher.nextBatch(
            onlyUrgent: onlyUrgent, atMost: concurrency.recipients, takesSuspects: takesSuspects, at: now
        ) { job, recipient in
            let job: WebhookJob = job.typed()
            count += 1
            bytes = max(bytes, job.sharedSize) + job.size(of: recipient)
            return count <= job.mostRecipients && bytes <= BatchLimits.bodyBytes
        }
    }

    func filled(isUsable: Bool, now: Int64) {}

    func turnEnds() { dispatcher.turnEnds() }

    func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard name.is("retry-after") else { return }
        onWire[tag]?.retryAfterSeconds = RetryAfter.seconds(value, now: dispatcher.now) ?? 0
    }

    func answered(_ tag: Int, _ answer: PoolAnswer, now: Int64) -> ConnectionVerdict {
        // The body contains the outcomes. It is incomplete, so the request counts as lost.
        if let loss = answer.cut {
            lost(tag, loss, now: now)
            return .keep
        }
        guard let (batch, first) = takeOffWire(tag) else { return .keep }
        let now = dispatcher.moment(now)
        let reason = "Status\(answer.status)"
        let meaning = AnswerClass(status: answer.status, hasRetryAfter: batch.retryAfterSeconds != nil)
        dispatcher.health.hostAnswered(now: now)
        if meaning == .reported || meaning == .unreported { dispatcher.health.accepted(.credential, first, now: now) }
        switch meaning {
        case .reported: reported(batch, answer, at: now)
        case .unreported: settle(batch, .unknown, answer.status, reason, at: now)
        case .busy: busy(batch, answer.status, at: now)
        case .refused: refused(batch, answer.status, at: now)
        case .doubtful: doubtful(batch, first, answer.status, at: now)
        case .broken:
            settle(batch, .unknown, answer.status, reason, at: now)
            fail(batch, at: now)
        }
        return .keep
    }

    func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64) {
        guard let (batch, _) = takeOffWire(tag) else { return }
        for push in batch.pushes { dispatcher.sendAgain(push, at: dispatcher.moment(now)) }
    }

    func lost(_ tag: Int, _ loss: RequestLoss, now: Int64) {
        guard let (batch, first) = takeOffWire(tag) else { return }
        let now = dispatcher.moment(now)
        let seconds = dispatcher.unanswered(first, loss, at: now)
        for push in batch.pushes {
            dispatcher.settle(push, .unknown, reason: SendingReason.of(loss), retryAfterSeconds: seconds, at: now)
        }
        fail(batch, at: now)
    }

    func goAway(debugData: [UInt8], now: Int64) -> String? { nil }

    func connectFailed(_ error: any Error, isLast: Bool, now: Int64) {
        if case ConnectError.addressRefused = error {
            return dispatcher.refuseCredential(reason: WebhookReason.addressNotAllowed, at: dispatcher.moment(now))
        }
        dispatcher.connectFailed(isLast: isLast, now: now)
    }

    func tick(now: Int64) { dispatcher.tick(now: now) }
}
