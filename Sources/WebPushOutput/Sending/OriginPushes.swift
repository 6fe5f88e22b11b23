import Addressing
import HTTP2Pool
import HTTP2Session
import PushModel
import PushSending

/// The messages to one origin, from the job that is handed in to the outcome: which is next, and what its answer means. On
/// the origin's event loop.
final class OriginPushes {
    /// Beyond this a message that servers keep refusing unprocessed waits in a delay queue instead.
    private static let maximumResends = 5
    /// Encrypting takes a moment, and others wait for the event loop, too.
    private static let messagesPerTurn = 64

    private let origin: Endpoint
    private let service: PushService
    private let clock: @Sendable () -> Timestamp
    private let writer: MessageWriter
    private let fields: OriginFields
    let health: OriginHealth
    // One owner, one thread: nothing for exclusivity checks to find on the hot path, here and below.
    @exclusivity(unchecked) private var queue = SendQueue()
    @exclusivity(unchecked) private var onWire = Slab<MessageOnWire>()
    @exclusivity(unchecked) private var outcomes = OutcomeBatch()
    @exclusivity(unchecked) private var writtenThisTurn = 0
    /// The wall clock of this turn.
    @exclusivity(unchecked) private var wallTime: Timestamp?
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
        return Moment(wall: wall, uptime: now)
    }

    /// Nothing waits, and nothing is on the wire.
    var isIdle: Bool { queue.isEmpty && onWire.count == 0 }

    // MARK: In

    func take(_ job: OriginJob, now: Int64) {
        let now = moment(now)
        let places = job.places.indices
        if queue.isEmpty { health.waitBegins(now: now) }
        if let obstacle = health.obstacle(to: job.key, now: now) { return settle(job, places, obstacle, at: now) }
        guard health.admitsAsProbe(job.key, now: now) else { return queue.append(job, recipients: places) }
        queue.resend(QueuedPush(job: job, recipient: places.lowerBound, isProbe: true))
        if let obstacle = health.obstacle(to: job.key, now: now) {
            settle(job, places.dropFirst(), obstacle, at: now)
        }
    }

    // MARK: Back

    /// From now on nothing is begun.
    func stop() { isStopped = true }

    /// Takes out messages that are not on the wire. Those on it go on, and fail if they come back.
    func cancel(_ isMeant: (RoutedJob) -> Bool, now: Int64) {
        let now = moment(now)
        for push in queue.removeAll(where: { isMeant($0.routed) }) {
            settle(push, .failed, reason: Outcome.cancelled, at: now)
        }
    }

    /// Whether the message with this tag is of a job that is meant, which is cancelled then.
    func isOnWire(_ tag: Int, of isMeant: (RoutedJob) -> Bool) -> Bool {
        guard let job = onWire[tag]?.push.job, isMeant(job.routed) else { return false }
        job.isCancelled = true
        return true
    }

    /// What waits with these credentials is returned.
    func retire(_ isMeant: (Credential.ID) -> Bool, now: Int64) {
        health.retire(isMeant)
        holdQueued(now: moment(now)) { $0.key.isRetired }
    }

    private func holdQueued(now: Moment, where isMeant: (OriginJob) -> Bool) {
        for push in queue.removeAll(where: { isMeant(unsafeDowncast($0, to: OriginJob.self)) }) {
            if let obstacle = health.obstacle(to: push.part.key, now: now) {
                settle(push, obstacle, at: now)
            } else {
                queue.resend(push)
            }
        }
    }

    private func settle(_ job: OriginJob, _ places: Range<Int>, _ obstacle: OriginHealth.Obstacle, at now: Moment) {
        for place in places { settle(QueuedPush(job: job, recipient: place), obstacle, at: now) }
    }

    private func settle(_ push: QueuedPush, _ obstacle: OriginHealth.Obstacle, at now: Moment) {
        settle(push, obstacle.verdict, reason: obstacle.reason, retryAfterSeconds: obstacle.seconds, at: now)
    }

    private func settle(
        _ push: QueuedPush, _ verdict: Outcome.Verdict, reason: String? = nil,
        retryAfterSeconds: Int32 = 0, at now: Moment
    ) {
        if push.isProbe { health.probeWasNone(push.part.key) }
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
        if push.isProbe { health.probeWasNone(push.part.key) }
        if push.job.isCancelled { return settle(push, .failed, reason: Outcome.cancelled, at: now) }
        if let obstacle = health.obstacle(to: push.part.key, now: now) { return settle(push, obstacle, at: now) }
        guard push.resends < Self.maximumResends else {
            return settle(push, .retry, reason: SendingReason.streamRefused, at: now)
        }
        if queue.isEmpty { health.waitBegins(now: now) }
        queue.resend(push.again(asProbe: health.admitsAsProbe(push.part.key, now: now)))
    }
}

extension OriginPushes: PoolClient {
    var waiting: Int { queue.count }

    var yieldsTurn: Bool { writtenThisTurn >= Self.messagesPerTurn }

    func turnBegins(now: Int64) {
        writtenThisTurn = 0
        guard isStopped else { return }
        putBack(.returned, at: moment(now))
    }

    func next(onlyUrgent: Bool, now: Int64) -> PoolRequest? {
        let now = moment(now)
        while !yieldsTurn, let push = queue.next(onlyUrgent: onlyUrgent) {
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

    private func request(for push: QueuedPush, at now: Moment) throws -> PoolRequest {
        let part = push.part
        let recipient = part.routed.job.recipients[push.index]
        let entry = try fields.entry(for: part, now: now.wall)
        let body = try writer.body(for: recipient, of: part.job, now: now.wall)
        return PoolRequest(
            tag: onWire.insert(MessageOnWire(push, token: entry.token, sentAt: now.wall)),
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
        guard let sent = onWire.remove(tag) else { return .keep }
        let now = moment(now)
        health.answered(now: now)
        guard (200..<300).contains(answer.status) else {
            refused(sent, answer, at: now)
            return .keep
        }
        sent.token.accepted()
        health.accepted(sent.push.part.key)
        sent.push.job.tokens?.answered(bad: nil, now: now)
        add(.sent, sent, status: answer.status, at: now)
        return .keep
    }

    private func refused(_ sent: MessageOnWire, _ answer: PoolAnswer, at now: Moment) {
        let words = AnswerWords(answer.body)
        let meaning = WebPushAnswer(
            status: answer.status, words: words, from: service, saysWhen: sent.retryAfterSeconds > 0)
        let reason = meaning.reason(status: answer.status, words: words)
        sent.push.job.tokens?.answered(bad: meaning == .keyMismatch ? reason : nil, now: now)
        switch meaning {
        case .credentialRefused, .unauthorized:
            keyRefused(sent, isExplained: meaning == .credentialRefused, answer.status, reason, at: now)
        case .busy:
            add(meaning.verdict, sent, status: answer.status, reason: reason, at: now)
            let key = sent.push.part.key
            let braked = health.busy(
                key, status: answer.status, reason: reason, retryAfterSeconds: sent.retryAfterSeconds, now: now)
            if let braked { holdQueued(now: now) { braked == .origin || $0.key === key } }
        default:
            if meaning.showsAuthorization { health.authorized(sent.push.part.key) }
            add(meaning.verdict, sent, status: answer.status, reason: reason, at: now)
        }
    }

    private func keyRefused(
        _ sent: MessageOnWire, isExplained: Bool, _ status: Int, _ reason: String, at now: Moment
    ) {
        let job = sent.push.part
        let verdict = job.key.trust.refused(
            isExplained: isExplained, isProven: sent.token.isProven,
            tokenAgeSeconds: sent.token.schedule.ageSeconds(now: now.wall), isRepeated: sent.push.resends > 0)
        switch verdict {
        case .foreignSubscription: add(.rejected, sent, status: status, reason: reason, at: now)
        case .signAgain:
            job.job.identity.refused(sent.token, by: origin)
            job.fieldsSecond = .min
            sendAgain(sent.push, at: now)
        case .keyRefused:
            sent.token.refused()
            health.refuse(job.key, reason: reason, now: now)
            add(.hold, sent, status: status, reason: reason, at: now)
            holdQueued(now: now) { $0.key === job.key }
        }
    }

    private func add(
        _ verdict: Outcome.Verdict, _ sent: MessageOnWire, status: Int, reason: String? = nil, at now: Moment
    ) {
        if sent.push.isProbe { health.probeWasNone(sent.push.part.key) }
        outcomes.add(
            Outcome(
                job: sent.push.job.routed, recipient: sent.push.index, verdict: verdict, status: status,
                reason: reason, judge: .provider, providerID: sent.providerID,
                // A service does not say when it found out. Whoever has subscribed anew since it was sent is not meant.
                unregisteredAt: verdict == .unregistered ? sent.sentAt : nil,
                retryAfterSeconds: sent.retryAfterSeconds, at: now.wall),
            for: sent.push.job.sink)
    }

    func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64) {
        guard let sent = onWire.remove(tag) else { return }
        sendAgain(sent.push, at: moment(now))
    }

    func lost(_ tag: Int, _ loss: RequestLoss, now: Int64) {
        guard let sent = onWire.remove(tag) else { return }
        settle(sent.push, .unknown, reason: SendingReason.of(loss), at: moment(now))
    }

    func goAway(debugData: [UInt8], now: Int64) -> String? { AnswerWords(debugData).reason }

    /// With no other connection to wait for, what is queued goes to the delay queues: an origin that is away must not hold
    /// what the pipeline has room for.
    func connectFailed(_ error: any Error, isLast: Bool, now: Int64) {
        guard isLast else { return }
        let now = moment(now)
        health.closed(now: now)
        putBack(.retry, reason: SendingReason.connectionFailed, at: now)
    }

    func tick(now: Int64) {
        let now = moment(now)
        guard !queue.isEmpty else { return }
        if health.isCrowdedOut(now: now) {
            putBack(.hold, reason: "TooManyConnections", at: now)
        } else if health.isSilent(now: now) {
            holdQueued(now: now) { _ in true }
        }
    }
}

extension QueuedPush {
    /// Only such jobs are handed in.
    fileprivate var part: OriginJob { unsafeDowncast(job, to: OriginJob.self) }
    /// The recipient's place in the job.
    fileprivate var index: Int { Int(part.places[recipient].recipient) }
}

extension HTTP2Body {
    fileprivate static let empty = HTTP2Body([])
}
