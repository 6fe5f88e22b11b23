import Contract
package import PushModel

/// A result event that is being built. Each outcome is written to the event's body at once, so that nothing is stored
/// twice.
package struct EventBatch {
    package let key: EventKey
    /// The lane of the first outcome's job.
    package private(set) var lane = Lane.normal
    package private(set) var count = 0
    /// The app's counters of outcomes.
    package private(set) var tally = OutcomeTally.none
    /// The pending settlements that are completed when the broker confirms the event.
    package private(set) var shares: [PendingSettlements<OpenJob>.Share] = []
    private var json: [UInt8] = []
    /// The time of the previous outcome, and its text. Most outcomes have the same time as the outcome before.
    private var lastTime: (at: Timestamp, text: [UInt8])?

    /// The current size of the body, in bytes.
    var bytes: Int { json.count }

    init(key: EventKey, worker: String) {
        self.key = key
        // The initial capacity suits a small event. If each job has its own trace, there are as many events as jobs.
        json.reserveCapacity(512)
        json.append(contentsOf: #"{"kind":""#.utf8)
        json.append(contentsOf: key.kind.rawValue.utf8)
        json.append(contentsOf: #"","output":"#.utf8)
        JSONText.append(key.output, to: &json)
        json.append(contentsOf: #","app":"#.utf8)
        JSONText.append(key.app, to: &json)
        json.append(contentsOf: #","environment":""#.utf8)
        json.append(contentsOf: key.environment.rawValue.utf8)
        json.append(contentsOf: #"","worker":"#.utf8)
        JSONText.append(worker, to: &json)
        json.append(contentsOf: #","outcomes":["#.utf8)
    }

    mutating func append(_ outcome: Outcome, reason: String?, detail: String?) {
        if count == 0 { (lane, tally) = (outcome.job.lane, outcome.job.tally) } else { json.append(UInt8(ascii: ",")) }
        count += 1
        if shares.last?.entry == outcome.job.ledgerID {
            shares[shares.count - 1].count += 1
        } else {
            shares.append(.init(entry: outcome.job.ledgerID, count: 1))
        }
        write(outcome, reason: reason, detail: detail)
    }

    private mutating func write(_ outcome: Outcome, reason: String?, detail: String?) {
        let job = outcome.job.job
        let recipient = job.recipients[outcome.recipient]
        json.append(contentsOf: #"{"job":"#.utf8)
        JSONText.append(job.id, to: &json)
        json.append(contentsOf: #","recipient":"#.utf8)
        recipient.appendText(of: job, to: &json)
        if let target = recipient.kind.target { member(#","target":"#, "\(target)") }
        if recipient.kind.isBroadcast { json.append(contentsOf: #","broadcast":true"#.utf8) }
        if let ref = recipient.refJSON {
            json.append(contentsOf: #","ref":"#.utf8)
            json.append(contentsOf: job.bytes(ref))
        }
        if outcome.status != 0 {
            json.append(contentsOf: #","status":"#.utf8)
            json.append(contentsOf: String(outcome.status).utf8)
        }
        if let reason { member(#","reason":"#, reason) }
        if let detail { member(#","detail":"#, detail) }
        if key.kind == .rejected {
            json.append(contentsOf: #","by":"#.utf8)
            JSONText.append(outcome.judge == .provider ? key.output : "martlet", to: &json)
        }
        if let id = outcome.providerID {
            json.append(contentsOf: outcome.job.traits.idMember)
            id.appendJSON(to: &json)
        }
        if let id = outcome.uniqueID {
            json.append(contentsOf: outcome.job.traits.uniqueIDMember)
            JSONText.append(id, to: &json)
        }
        if let moment = deathTime(outcome) {
            json.append(contentsOf: #","unregistered_at":""#.utf8)
            moment.appendRFC3339(to: &json)
            json.append(UInt8(ascii: "\""))
        }
        if outcome.trimmedBytes > 0 {
            json.append(contentsOf: #","trimmed_bytes":"#.utf8)
            json.append(contentsOf: String(outcome.trimmedBytes).utf8)
        }
        json.append(contentsOf: #","attempts":"#.utf8)
        json.append(contentsOf: String(outcome.job.attempt).utf8)
        if outcome.job.redelivered { json.append(contentsOf: #","redelivered":true"#.utf8) }
        json.append(contentsOf: #","at":""#.utf8)
        writeTime(outcome.at)
        json.append(contentsOf: #""}"#.utf8)
    }

    private func deathTime(_ outcome: Outcome) -> Timestamp? {
        switch key.kind {
        case .unregistered: outcome.foundDeadAt
        case .suppressed: outcome.unregisteredAt
        default: nil
        }
    }

    private mutating func member(_ prefix: StaticString, _ value: String) {
        append(prefix)
        JSONText.append(value, to: &json)
    }

    private mutating func writeTime(_ at: Timestamp) {
        if lastTime?.at != at {
            var text: [UInt8] = []
            text.reserveCapacity(24)
            at.appendRFC3339(to: &text)
            lastTime = (at, text)
        }
        if let lastTime { json.append(contentsOf: lastTime.text) }
    }

    private mutating func append(_ text: StaticString) {
        json.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package consuming func finish() -> [UInt8] {
        json.append(contentsOf: "]}".utf8)
        return json
    }
}
