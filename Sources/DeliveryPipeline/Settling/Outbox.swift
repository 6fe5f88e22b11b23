import AMQPClient
import Contract
import Logging
import PushModel

/// The messages to the broker, and the pending settlements that their confirms complete. A job is done when the broker
/// has confirmed everything that results from it. A value type without clock or I/O.
struct Outbox {
    typealias Share = PendingSettlements<OpenJob>.Share

    var ledger = PendingSettlements<OpenJob>()
    var messages: OutboundMessages
    /// The messages that the broker has not confirmed, by id. They are kept in case the broker refuses them.
    private var unconfirmed: [UInt64: UnconfirmedMessage] = [:]
    /// The messages to publish at the end of this turn.
    private var publications: [AMQPPublication] = []

    /// The time after the due time of a result event during which the event is published again, in seconds.
    var longestForEvents: Int
    /// The time of this turn.
    var now = Timestamp(milliseconds: 0)
    private let meter: PipelineMeter
    var routing = ResultsRouting()

    init(_ configuration: PipelineConfiguration) {
        messages = OutboundMessages(
            names: configuration.names, worker: configuration.worker, user: configuration.brokerUser,
            incarnation: configuration.makeID())
        longestForEvents = configuration.limits.maximumAge
        meter = configuration.meter
    }

    subscript(id: UInt64) -> UnconfirmedMessage? { unconfirmed[id] }

    /// Publishes a message, and records the settlements that its confirm completes.
    ///
    /// - Parameters:
    ///   - event: the result event that the message publishes or delays, or `nil` for any other message.
    ///   - isMove: whether the message is an original job or a chunk, and need not be published if the broker
    ///     redelivers the job.
    ///   - isOutcomes: whether the message reports outcomes.
    ///   - shares: the pending settlements that the message completes.
    mutating func publish(
        _ publication: AMQPPublication, event: DelayedEvent? = nil, isMove: Bool = false, isOutcomes: Bool = false,
        meeting shares: [Share]
    ) {
        ledger.expect(group: publication.id, for: shares)
        unconfirmed[publication.id] = UnconfirmedMessage(
            publication: publication, event: event, since: now, isOutcomes: isOutcomes, isMove: isMove)
        publications.append(publication)
    }

    /// Publishes a message in place of a refused one, under the same id.
    mutating func replace(by publication: AMQPPublication, event: DelayedEvent? = nil) {
        let isMove = unconfirmed[publication.id]?.isMove == true
        unconfirmed[publication.id] = UnconfirmedMessage(
            publication: publication, event: event, since: now, isMove: isMove)
        publications.append(publication)
    }

    /// Returns the log fields for a rejected job.
    func metadata(of rejection: JobRejection, _ job: OpenJob, reason: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["job": "\(rejection.jobID ?? "-")", "reason": "\(reason)"]
        metadata["app"] = rejection.app.map { "\($0)" }
        metadata["publisher"] = messages.publisher(of: job.inbound).map { "\($0)" }
        return metadata
    }

    /// Handles a message that the broker confirmed, or that will not be published again.
    ///
    /// - Returns: the jobs that are done now.
    mutating func met(_ id: UInt64) -> [OpenJob] {
        if let message = unconfirmed.removeValue(forKey: id) { note(message, id) }
        return ledger.met(group: id)
    }

    private mutating func note(_ message: UnconfirmedMessage, _ id: UInt64) {
        if message.refusals == 0 { meter.confirmed(message, now: now) }
        if message.publication.reportsUnroutable {
            routing.confirmed(id, routingKey: message.publication.routingKey)
        }
        guard message.isOutcomes else { return }
        for share in ledger.shares(of: id) {
            guard let job = ledger.delivery(of: share.entry) else { continue }
            meter.published(job, share.count, now: now)
            job.trace?.published(now)
        }
    }

    /// Handles refused messages if the broker may have accepted an earlier copy of them. They are marked as repetitions
    /// when they are published again.
    mutating func mayBeTaken(_ ids: [UInt64]) {
        for id in ids {
            guard let publication = unconfirmed[id]?.publication else { continue }
            unconfirmed[id]?.publication = publication.repeated
        }
    }

    /// Records that no queue took a result event.
    mutating func unroutable(_ id: UInt64) {
        if unconfirmed[id] != nil { routing.isUnroutable(id) }
    }

    /// Withdraws a message. The settlements of its jobs stay pending.
    mutating func withdraw(_ id: UInt64) { unconfirmed[id] = nil }

    /// Records that the broker refused a message.
    ///
    /// - Returns: the message, or `nil` if no message with this id is unconfirmed.
    mutating func refused(_ id: UInt64) -> UnconfirmedMessage? {
        guard var message = unconfirmed[id] else { return nil }
        routing.refused(id)
        message.refusals += 1
        message.waits = true
        unconfirmed[id] = message
        return message
    }

    /// Publishes a refused message again.
    ///
    /// - Returns: the message's exchange, or `nil` if no message with this id is unconfirmed.
    mutating func offerAgain(_ id: UInt64) -> String? {
        guard let message = unconfirmed[id] else { return nil }
        unconfirmed[id]?.waits = false
        publications.append(message.publication)
        return message.publication.exchange
    }

    /// Handles the loss of the publisher's connection. The publisher itself publishes unconfirmed messages again,
    /// marked as repetitions. They are also marked here, because they are kept in case the broker refuses them.
    mutating func publisherDisconnected() {
        routing.disconnected()
        for (id, message) in unconfirmed where !message.waits {
            unconfirmed[id]?.publication = message.publication.repeated
        }
    }

    /// Returns the ids of the waiting messages whose job is an orphan. They are dropped, because the broker redelivers
    /// the job. Otherwise each lost connection would add a copy of every message that the broker refuses.
    func waitingOrphans() -> [UInt64] { unconfirmed.filter { $1.waits && isOrphan($0) }.map(\.key) }

    /// Returns whether a message need not be published, because its job is an orphan.
    func isOrphan(_ id: UInt64) -> Bool {
        guard unconfirmed[id]?.isMove == true, let entry = ledger.shares(of: id).first?.entry else { return false }
        return ledger.delivery(of: entry)?.isOrphan == true
    }

    /// The number of refused messages that wait to be published again, by exchange.
    var waitingByExchange: [String: Int] {
        unconfirmed.values.reduce(into: [:]) { if $1.waits { $0[$1.publication.exchange, default: 0] += 1 } }
    }

    /// The number of messages that the broker has not confirmed.
    var unconfirmedCount: Int { unconfirmed.count }

    /// The time at which the oldest unconfirmed message was published, or `nil` if there is none. Refused messages are
    /// excluded.
    var oldestUnconfirmed: Timestamp? { unconfirmed.values.lazy.filter { $0.refusals == 0 }.map(\.since).min() }

    /// Removes and returns the messages to publish in this turn.
    mutating func flush() -> [AMQPPublication] {
        guard !publications.isEmpty else { return [] }
        defer { publications = [] }
        return publications
    }
}
