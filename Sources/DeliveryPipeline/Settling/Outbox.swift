import AMQPClient
import Logging
import PushModel

/// What leaves for the broker, and what it stands for: a job is done when the broker has confirmed everything that
/// became of it. A value: no clock, no I/O.
struct Outbox {
    typealias Share = SettlingLedger<OpenJob>.Share

    var ledger = SettlingLedger<OpenJob>()
    var messages: OutboundMessages
    /// Kept in case the broker refuses it.
    private var unconfirmed: [UInt64: UnconfirmedMessage] = [:]
    private var publications: [AMQPPublication] = []

    /// How long after it was due an event is still tried, in seconds.
    var longestForEvents: Int
    /// Of this turn.
    var now = Timestamp(milliseconds: 0)
    private let meter: PipelineMeter
    var routing = ResultsRouting()

    init(_ configuration: PipelineConfiguration) {
        messages = OutboundMessages(
            names: configuration.names, worker: configuration.worker, user: configuration.brokerUser)
        longestForEvents = configuration.limits.maximumAge
        meter = configuration.meter
    }

    subscript(id: UInt64) -> UnconfirmedMessage? { unconfirmed[id] }

    /// Publishes a message whose confirm meets these obligations.
    ///
    /// - Parameters:
    ///   - event: the event that it is, or that waits in it.
    ///   - isMove: it is a job as it came, or a chunk: the broker still has the job until it has taken it.
    ///   - isOutcomes: its confirm makes outcomes safe.
    mutating func publish(
        _ publication: AMQPPublication, event: HeldEvent? = nil, isMove: Bool = false, isOutcomes: Bool = false,
        meeting shares: [Share]
    ) {
        ledger.expect(group: publication.id, for: shares)
        unconfirmed[publication.id] = UnconfirmedMessage(
            publication: publication, event: event, since: now, isOutcomes: isOutcomes, isMove: isMove)
        publications.append(publication)
    }

    /// Publishes something else in the place of what the broker would not take, under the same id.
    mutating func replace(by publication: AMQPPublication, event: HeldEvent? = nil) {
        let isMove = unconfirmed[publication.id]?.isMove == true
        unconfirmed[publication.id] = UnconfirmedMessage(
            publication: publication, event: event, since: now, isMove: isMove)
        publications.append(publication)
    }

    /// Returns the log fields for a job that can't be used.
    func metadata(of rejection: JobRejection, _ job: OpenJob, reason: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["job": "\(rejection.jobID ?? "-")", "reason": "\(reason)"]
        metadata["app"] = rejection.app.map { "\($0)" }
        metadata["publisher"] = messages.publisher(of: job.inbound).map { "\($0)" }
        return metadata
    }

    /// The broker has it, or it is not to be published any more.
    ///
    /// - Returns: the jobs that are done by that.
    mutating func met(_ id: UInt64) -> [OpenJob] {
        if let message = unconfirmed.removeValue(forKey: id) { note(message, id) }
        return ledger.met(group: id)
    }

    private mutating func note(_ message: UnconfirmedMessage, _ id: UInt64) {
        meter.confirmed(message, now: now)
        if message.publication.reportsUnroutable {
            routing.confirmed(id, routingKey: message.publication.routingKey)
        }
        guard message.isOutcomes else { return }
        for share in ledger.shares(of: id) {
            guard let job = ledger.delivery(of: share.entry) else { continue }
            meter.told(job, share.count, now: now)
            job.trace?.told(now)
        }
    }

    /// Marks refused messages of which the broker may have accepted an earlier copy. They are published again as
    /// repetitions.
    mutating func mayBeTaken(_ ids: [UInt64]) {
        for id in ids {
            guard let publication = unconfirmed[id]?.publication else { continue }
            unconfirmed[id]?.publication = publication.repeated
        }
    }

    /// Records that no queue takes this event.
    mutating func unroutable(_ id: UInt64) {
        if unconfirmed[id] != nil { routing.isUnroutable(id) }
    }

    /// Nothing stands for these jobs any more that this one stood for; what they owe stays.
    mutating func withdraw(_ id: UInt64) { unconfirmed[id] = nil }

    /// The broker would not take it.
    ///
    /// - Returns: nil if it is not known.
    mutating func refused(_ id: UInt64) -> UnconfirmedMessage? {
        guard var message = unconfirmed[id] else { return nil }
        message.refusals += 1
        message.waits = true
        unconfirmed[id] = message
        return message
    }

    /// - Returns: where to; nil if it is not known any more.
    mutating func offerAgain(_ id: UInt64) -> String? {
        guard let message = unconfirmed[id] else { return nil }
        unconfirmed[id]?.waits = false
        publications.append(message.publication)
        return message.publication.exchange
    }

    /// The publisher's connection is lost. Messages on their way are published again, and say so; that may be refused.
    mutating func publisherDisconnected() {
        routing.disconnected()
        for (id, message) in unconfirmed where !message.waits {
            unconfirmed[id]?.publication = message.publication.repeated
        }
    }

    /// Returns the messages that wait to be published again although their job's connection is lost. They are dropped,
    /// because each loss would otherwise add a copy of every message that the broker refuses.
    func waitingOrphans() -> [UInt64] { unconfirmed.filter { $1.waits && isOrphan($0) }.map(\.key) }

    /// Whether a message is a job in its original form, or a chunk, that the broker redelivers.
    func isOrphan(_ id: UInt64) -> Bool {
        guard unconfirmed[id]?.isMove == true, let entry = ledger.shares(of: id).first?.entry else { return false }
        return ledger.delivery(of: entry)?.isOrphan == true
    }

    /// The number of refused messages that are published again later, by exchange.
    var waitingByExchange: [String: Int] {
        unconfirmed.values.reduce(into: [:]) { if $1.waits { $0[$1.publication.exchange, default: 0] += 1 } }
    }

    /// Without a confirm.
    var unconfirmedCount: Int { unconfirmed.count }

    /// When the oldest of them was published; of those that the broker has not refused.
    var oldestUnconfirmed: Timestamp? { unconfirmed.values.lazy.filter { $0.refusals == 0 }.map(\.since).min() }

    /// What is to be published now; mostly nothing.
    mutating func flush() -> [AMQPPublication] {
        guard !publications.isEmpty else { return [] }
        defer { publications = [] }
        return publications
    }
}
