import PushModel
import Store

/// The component that suppresses pushes to dead tokens. If the filter does not rule out that a token is dead, the push
/// waits for the database's answer. A value type without clock or I/O.
struct Suppression {
    /// The results of a look-up: outcomes for dead tokens, and pushes to send to living tokens.
    struct Findings {
        var dead: [Outcome] = []
        var living: [LookupBuffer.Selection] = []
    }

    private let patience: Int
    private var lookUps = LookupBuffer()

    init(_ configuration: PipelineConfiguration) {
        patience = configuration.databasePatience
    }

    var knownTokens: Int { lookUps.knownTokens }
    var filterBytes: Int { lookUps.filterBytes }

    mutating func received(_ event: DeadTokenFeed.Event) {
        switch event {
        case .loaded(let filter): lookUps.filter = filter
        case .marked(let hashes): for hash in hashes { lookUps.filter?.insert(hash) }
        }
    }

    /// Sends a job to its output. Pushes whose token may be dead first wait for a look-up in the database.
    mutating func send(_ job: RoutedJob, to output: any Output, _ turn: inout Turn) {
        let uncleared = lookUps.uncleared(among: job, now: turn.now)
        guard !uncleared.isEmpty else { return turn.send(job, to: output) }
        let toLookUp = Set(uncleared)
        let cleared = job.job.recipients.indices.filter { !toLookUp.contains($0) }
        if !cleared.isEmpty { turn.send(job.limited(to: cleared), to: output) }
        lookUps.add(.init(job: job, output: output, recipients: uncleared))
    }

    /// Returns the next look-up, or `nil` if there is none to start. The core calls this method at the end of every
    /// turn.
    mutating func next(_ turn: inout Turn) -> LookupBuffer.Lookup? {
        guard let lookUp = lookUps.next(id: turn.outbox.messages.nextID()) else { return nil }
        turn.wait(.lookUp(lookUp.id), patience)
        return lookUp
    }

    /// Ends a look-up that failed or timed out. All waiting pushes are treated as pushes to living tokens.
    mutating func giveUp(_ id: UInt64, _ turn: inout Turn) -> Findings {
        let living = lookUps.failed(id, now: turn.now)
        turn.counts.lookUpsFailed += living.reduce(0) { $0 + $1.recipients.count }
        return Findings(living: living)
    }

    /// Handles the answer to a look-up.
    ///
    /// - Parameter deaths: the times at which dead tokens died, by the token's position in the look-up.
    mutating func answered(_ id: UInt64, _ deaths: [Int: Timestamp], _ turn: inout Turn) -> Findings {
        var findings = Findings()
        var place = 0
        for selection in lookUps.answered(id) {
            var living: [Int] = []
            for recipient in selection.recipients {
                defer { place += 1 }
                // A token that was registered at the very time of its death is alive.
                if let death = deaths[place],
                    death > selection.job.job.recipients[recipient].registeredAt ?? Timestamp(milliseconds: .min)
                {
                    turn.counts.lookUpsDead += 1
                    findings.dead.append(
                        Outcome(
                            job: selection.job, recipient: recipient, verdict: .suppressed, unregisteredAt: death,
                            at: turn.now))
                } else {
                    turn.counts.lookUpsLive += 1
                    living.append(recipient)
                }
            }
            if !living.isEmpty {
                findings.living.append(.init(job: selection.job, output: selection.output, recipients: living))
            }
        }
        return findings
    }
}
