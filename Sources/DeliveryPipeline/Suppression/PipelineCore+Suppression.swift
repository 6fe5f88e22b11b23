package import CredentialStore
import Dispatch
package import PushModel

extension PipelineCore {
    package func received(_ event: DeadTokenFeed.Event) {
        turn { [self] in
            switch event {
            case .loaded(let filter): suspects.filter = filter
            case .marked(let hashes): for hash in hashes { suspects.filter?.insert(hash) }
            }
        }
    }

    /// The database's answer: when those tokens died that are dead, by their place in the question; nil: it has none.
    package func lookedUp(_ id: UInt64, deaths: [Int: Timestamp]?) {
        turn { [self] in
            if let deaths { release(suspects.answered(id), deaths) } else { giveUpLookUp(id) }
        }
    }

    /// Hands a job to its output. Recipients whose token may be dead follow, once the database has said that they
    /// live.
    func sendUnlessDead(_ job: RoutedJob, to output: any Output) {
        let found = suspects.suspects(among: job.job, in: job.environment, now: now)
        guard !found.isEmpty else { return output.send(job, reportingTo: self) }
        let suspected = Set(found)
        let cleared = job.job.recipients.indices.filter { !suspected.contains($0) }
        if !cleared.isEmpty { output.send(job.limited(to: cleared), reportingTo: self) }
        suspects.add(.init(job: job, output: output, recipients: found))
    }

    /// At the end of every turn.
    func lookUpSuspects() {
        guard let lookUp = suspects.next(id: outbox.messages.nextID()) else { return }
        effects.lookUp(lookUp)
        wait(.lookUp, configuration.databasePatience) { [self] in
            giveUpLookUp(lookUp.id)
        }
    }

    private func giveUpLookUp(_ id: UInt64) {
        let released = suspects.failed(id, now: now)
        counts.lookUpsFailed += released.reduce(0) { $0 + $1.recipients.count }
        for suspect in released { send(suspect.recipients, of: suspect) }
    }

    private func release(_ released: [SuspectBuffer.Suspect], _ deaths: [Int: Timestamp]) {
        let at = now
        var place = 0
        for suspect in released {
            var living: [Int] = []
            for recipient in suspect.recipients {
                defer { place += 1 }
                // Registered at the very time of its death: it lives.
                if let death = deaths[place],
                    death > suspect.job.job.recipients[recipient].registeredAt ?? Timestamp(milliseconds: .min)
                {
                    counts.lookUpsDead += 1
                    settle(
                        Outcome(
                            job: suspect.job, recipient: recipient, verdict: .suppressed, unregisteredAt: death, at: at)
                    )
                } else {
                    counts.lookUpsLive += 1
                    living.append(recipient)
                }
            }
            if !living.isEmpty { send(living, of: suspect) }
        }
    }

    /// Unless the job was cancelled while the database was asked.
    private func send(_ recipients: [Int], of suspect: SuspectBuffer.Suspect) {
        let job = suspect.job
        guard isCancelled(job.job) else { return suspect.output.send(job.limited(to: recipients), reportingTo: self) }
        let at = now
        for recipient in recipients {
            settle(Outcome(job: job, recipient: recipient, verdict: .failed, reason: Outcome.cancelled, at: at))
        }
    }
}
