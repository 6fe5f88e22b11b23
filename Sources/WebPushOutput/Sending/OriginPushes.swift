import Foundations
import HTTP2Pool
import HTTP2Session
import PushModel
import PushSending

/// The messages to one origin, from the incoming job to the outcome. It selects the next message and interprets its
/// answer. Used only on the origin's event loop.
final class OriginPushes {
    /// The maximum number of immediate resends of a message that servers refuse unprocessed. It then waits in a delay
    /// queue.
    private static let maximumResends = 5
    /// The maximum number of messages that are written in one turn. Encryption takes time, and other work waits for the
    /// event loop.
    private static let messagesPerTurn = 64

    private let origin: Endpoint
    private let service: PushService
    private let clock: @Sendable () -> Timestamp
    private let writer: MessageWriter
    private let fields: OriginFields
    let health: OriginHealth
    // Only one thread uses this object, so exclusivity checks on the hot path could find nothing, here and below.
    @exclusivity(unchecked) private var queue = SendQueue()
    @exclusivity(unchecked) private var onWire = Slab<MessageOnWire>()
    @exclusivity(unchecked) private var outcomes = OutcomeBatch()
    @exclusivity(unchecked) private var writtenThisTurn = 0
    /// The wall-clock time of this turn, or `nil` if it was not read yet.
    @exclusivity(unchecked) private var wallTime: Timestamp?
    /// The uptime of this turn or callback, in milliseconds.
    @exclusivity(unchecked) private var uptime: Int64 = 0
    private var isStopped = false

    init(
        to origin: Endpoint, writer: MessageWriter, health: OriginHealth, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.origin = origin
        self.writer = writer
        self.health = health
        self.clock = clock
        service = PushService(host: origin.host)
        fields = OriginFields(to: origin, of: service)
    }

    private func moment(_ now: Int64) -> Moment {
        let wall = wallTime ?? clock()
        wallTime = wall
        uptime = now
        return Moment(wall: wall, uptime: now)
    }

    /// Whether no message waits or is on the wire.
    var isIdle: Bool { queue.isEmpty && onWire.count == 0 }

    // MARK: Intake

    func take(_ job: OriginJob, now: Int64) {
        let now = moment(now)
        if queue.isEmpty { health.waitBegins(now: now) }
        guard let obstacle = health.obstacle(to: job, now: now) else {
            return queue.append(job, recipients: job.places.indices)
        }
        for place in job.places.indices { settle(QueuedPush(job: job, recipient: place), obstacle, at: now) }
    }

    // MARK: Returned messages

    /// Stops sending. Waiting messages are returned in the next turn.
    func stop() { isStopped = true }

    /// Cancels waiting messages. Messages on the wire continue, and they fail if they return unprocessed.
    func cancel(_ isMeant: (RoutedJob) -> Bool, now: Int64) {
        let now = moment(now)
        for push in queue.removeAll(where: { isMeant($0.routed) }) {
            settle(push, .failed, reason: Outcome.cancelled, at: now)
        }
    }

    /// Returns whether the message with this tag belongs to a matching job. If so, marks the job as cancelled.
    func isOnWire(_ tag: Int, of isMeant: (RoutedJob) -> Bool) -> Bool {
        guard let job = onWire[tag]?.push.job, isMeant(job.routed) else { return false }
        job.isCancelled = true
        return true
    }

    /// Removes retired credentials. Their waiting messages are returned.
    func retire(_ isMeant: (Credential.ID) -> Bool, now: Int64) {
        health.retire(isMeant)
        holdQueued(now: moment(now))
    }

    /// Settles the messages that can no longer wait here, according to ``OriginHealth/obstacle(to:now:)``.
    private func holdQueued(now: Moment) {
        let held = queue.removeAll {
            health.obstacle(to: unsafeDowncast($0, to: OriginJob.self), now: now) != nil
        }
        for push in held {
            if let obstacle = health.obstacle(to: push.part, now: now) { settle(push, obstacle, at: now) }
        }
    }

    private func settle(_ push: QueuedPush, _ obstacle: OriginHealth.Obstacle, at now: Moment) {
        settle(push, obstacle.verdict, reason: obstacle.reason, retryAfterSeconds: obstacle.seconds, at: now)
    }

    private func settle(
        _ push: QueuedPush, _ verdict: Outcome.Verdict, reason: String? = nil,
        retryAfterSeconds: Int32 = 0, at now: Moment
    ) {
        if push.isProbe { health.probeEnded(push.part.key) }
        outcomes.add(
            Outcome(
                job: push.job.routed, recipient: push.index, verdict: verdict, reason: reason,
                retryAfterSeconds: retryAfterSeconds, at: now.wall),
            for: push.job.sink)
    }

    private func putBack(_ verdict: Outcome.Verdict, reason: String? = nil, at now: Moment) {
        while let push = queue.next() { settle(push, verdict, reason: reason, at: now) }
    }

    private func sendAgain(_ push: QueuedPush, at now: Moment) {
        if push.isProbe { health.probeEnded(push.part.key) }
        if push.job.isCancelled { return settle(push, .failed, reason: Outcome.cancelled, at: now) }
        if let obstacle = health.obstacle(to: push.part, now: now) { return settle(push, obstacle, at: now) }
        guard push.resends < Self.maximumResends else {
            return settle(push, .retry, reason: SendingReason.streamRefused, at: now)
        }
        if queue.isEmpty { health.waitBegins(now: now) }
        queue.resend(push.again())
    }
}

extension OriginPushes: PoolClient {
    var waiting: Int {
        switch health.admission(uptime: uptime) {
        case .pass: queue.count
        case .probe: min(1, queue.count)
        case .wait, .hold: 0
        }
    }

    var yieldsTurn: Bool { writtenThisTurn >= Self.messagesPerTurn }

    func turnBegins(now: Int64) {
        writtenThisTurn = 0
        uptime = now
        guard isStopped else { return }
        putBack(.returned, at: moment(now))
    }

    func next(onlyUrgent: Bool, now: Int64) -> PoolRequest? {
        let now = moment(now)
        while !yieldsTurn, let push = queue.next(onlyUrgent: onlyUrgent, allowedBy: health, at: now) {
            let job = push.job.routed.job
            if job.isExpired(at: now.wall) {
                settle(push, .expired, at: now)
                continue
            }
            writtenThisTurn += 1
            do {
                return try request(for: push, at: now)
            } catch let fault as WebPushFault {
                settle(push, .rejected, reason: fault.reason, at: now)
            } catch {
                settle(push, .failed, reason: SendingReason.credentialUnusable, at: now)
            }
        }
        return nil
    }

    /// Returns the request for a message. The message becomes a probe only if the request can be made.
    private func request(for push: QueuedPush, at now: Moment) throws -> PoolRequest {
        let part = push.part
        let recipient = part.routed.job.recipients[push.index]
        let entry = try fields.entry(for: part, now: now.wall)
        let body = try writer.body(for: recipient, of: part.job, now: now.wall)
        let admitted = health.admit(part.key, uptime: now.uptime) ? push.asProbe : push
        return PoolRequest(
            tag: onWire.insert(MessageOnWire(admitted, token: entry.token, at: now)),
            path: writer.path(
                of: recipient, from: Int(part.places[push.recipient].pathStart), in: part.routed.job),
            fields: body == nil ? entry.fields.withoutBody : entry.fields.withBody, body: body ?? .empty)
    }

    func filled(isUsable: Bool, now: Int64) {
        if isUsable { health.hasConnection() }
    }

    func crowdedOut(now: Int64) { health.crowdedOut(now: moment(now)) }

    func turnEnds() {
        outcomes.report()
        wallTime = nil
    }

    func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        onWire.update(tag) { $0.field(name, value) }
    }

    func answered(_ tag: Int, _ answer: PoolAnswer, now: Int64) -> ConnectionVerdict {
        guard let sent = takeOffWire(tag) else { return .keep }
        let now = moment(now)
        health.answered(now: now)
        guard (200..<300).contains(answer.status) else {
            refused(sent, answer, at: now)
            return .keep
        }
        sent.token.proof.accepted(uptime: now.uptime)
        health.accepted(sent, now: now)
        sent.push.job.tokens?.answered(bad: nil, now: now)
        add(.sent, sent, status: answer.status, at: now)
        return .keep
    }

    private func refused(_ sent: MessageOnWire, _ answer: PoolAnswer, at now: Moment) {
        let words = RefusalBody(answer.body)
        let meaning = WebPushAnswer(
            status: answer.status, words: words, from: service, hasRetryAfter: sent.retryAfterSeconds > 0)
        let reason = meaning.reason(status: answer.status, words: words)
        switch meaning {
        case .credentialRefused, .unauthorized:
            return keyRefused(sent, isExplained: meaning == .credentialRefused, answer.status, reason, at: now)
        case .keyMismatch: sent.push.job.tokens?.answered(bad: reason, now: now)
        case .busy:
            sent.push.job.tokens?.answered(bad: nil, now: now)
            let begins = health.busy(sent, status: answer.status, reason: reason, now: now)
            if begins { holdQueued(now: now) }
        default:
            sent.push.job.tokens?.answered(bad: nil, now: now)
            if meaning.showsAuthorization { health.authorized(sent, now: now) }
        }
        add(meaning.verdict, sent, status: answer.status, reason: reason, at: now)
    }

    private func keyRefused(
        _ sent: MessageOnWire, isExplained: Bool, _ status: Int, _ reason: String, at now: Moment
    ) {
        let part = sent.push.part
        let verdict = KeyTrust.verdict(
            isExplained: isExplained, acceptedAt: sent.token.proof.acceptedAt, nowMilliseconds: now.uptime,
            tokenAgeSeconds: sent.token.schedule.ageSeconds(now: now.wall), isRepeated: sent.push.isRepeated)
        switch verdict {
        case .foreignSubscription: rejectForeign(sent, status, reason, at: now)
        case .signAgain:
            part.job.identity.refused(sent.token, by: origin)
            part.fieldsSecond = .min
            sendAgain(sent.push.repeated, at: now)
        case .keyInDoubt, .keyRefused:
            let consequence = health.refused(sent, isAmbiguous: verdict == .keyInDoubt, reason: reason, now: now)
            if consequence.verdict == .rejected { return rejectForeign(sent, status, reason, at: now) }
            sent.push.job.tokens?.answered(bad: nil, now: now)
            add(
                consequence.verdict, sent, status: status, reason: reason, retryAfterSeconds: consequence.seconds,
                at: now)
            holdQueued(now: now)
        }
    }

    /// Rejects a message whose subscription seems to belong to another key, and counts it as a key mismatch.
    private func rejectForeign(_ sent: MessageOnWire, _ status: Int, _ reason: String, at now: Moment) {
        sent.push.job.tokens?.answered(bad: WebPushAnswer.mismatch, now: now)
        add(.rejected, sent, status: status, reason: reason, at: now)
    }

    private func takeOffWire(_ tag: Int) -> MessageOnWire? {
        let sent = onWire.remove(tag)
        if let sent, sent.push.isProbe { health.probeEnded(sent.push.part.key) }
        return sent
    }

    private func add(
        _ verdict: Outcome.Verdict, _ sent: MessageOnWire, status: Int, reason: String? = nil,
        retryAfterSeconds: Int32 = 0, at now: Moment
    ) {
        let outcome = sent.outcome(
            verdict, status: status, reason: reason, retryAfterSeconds: retryAfterSeconds, at: now)
        outcomes.add(outcome, for: sent.push.job.sink)
    }

    func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64) {
        guard let sent = onWire.remove(tag) else { return }
        sendAgain(sent.push, at: moment(now))
    }

    func lost(_ tag: Int, _ loss: RequestLoss, now: Int64) {
        guard let sent = onWire.remove(tag) else { return }
        let now = moment(now)
        settle(sent.push, .unknown, reason: SendingReason.of(loss), at: now)
        guard case .timeout = loss else { return }
        health.requestTimedOut(sent.push.identity, writtenAt: sent.writtenAt, now: now)
        holdQueued(now: now)
    }

    func goAway(debugData: [UInt8], now: Int64) -> String? { RefusalBody(debugData).reason }

    /// Records that a connection could not be made. If no other connection is pending, queued messages wait in the
    /// broker until the origin's next probe. If the address is disallowed, they are rejected.
    func connectFailed(_ error: any Error, isLast: Bool, now: Int64) {
        guard isLast else { return }
        let now = moment(now)
        if case ConnectError.addressRefused = error {
            health.addressRefused(now: now)
        } else {
            health.connectFailed(now: now)
        }
        holdQueued(now: now)
    }

    func tick(now: Int64) {
        let now = moment(now)
        health.forgetRestrictions(now: now)
        guard !queue.isEmpty else { return }
        if health.isCrowdedOut(now: now) {
            putBack(.hold, reason: "TooManyConnections", at: now)
        } else {
            health.look(now: now)
            holdQueued(now: now)
        }
    }
}

extension HTTP2Body {
    fileprivate static let empty = HTTP2Body([])
}
