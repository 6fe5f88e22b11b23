import AMQPClient
package import CredentialStore
import Dispatch
import PushModel

extension PipelineCore {
    /// Asks the database whether this is the first of its name; the job goes on when that is known, however long the
    /// database is away. Only chunks go on without.
    func ask(
        _ claim: Claim, _ job: Job, to output: any Output, _ environment: PushEnvironment, _ inbound: InboundJob,
        _ use: AppUse
    ) {
        if claim.rule == .chunk, claims.isDelayed { return route(job, to: output, inbound, use, entry: nil) }
        let entry = ledger.open(inbound, obligations: job.recipients.count)
        add(job.recipients.count, to: use, from: inbound.queue)
        claims.add(
            .init(
                claim: claim, job: job, output: output, environment: environment, inbound: inbound, use: use,
                entry: entry))
    }

    func writeClaims() {
        guard claims.canBeWritten, let batch = claims.next(id: messages.nextID()) else { return }
        effects?.claim(batch)
        effects?.wait(configuration.databasePatience) { [self] in
            for asked in claims.delayed(batch.id) { settle(asked, isFirst: true) }
            finishTurn()
        }
    }

    /// - Parameter fresh: those of the batch that nobody had claimed before.
    package func claimed(_ batch: Claims.Batch, fresh: Set<ClaimKey>) {
        queue.async { [self] in
            var fresh = fresh
            for asked in claims.answered(batch.id) {
                // Of two in one batch the first is the first.
                let isFirst = fresh.remove(asked.claim.key) != nil
                settle(asked, isFirst: isFirst)
            }
            finishTurn()
        }
    }

    private func settle(_ asked: Claims.Asked, isFirst: Bool) {
        let inbound = asked.inbound
        let answer =
            isFirst
            ? .goOn : asked.claim.answer(comesAgain: inbound.comesAgain, wasSentBefore: inbound.wasSentBefore)
        add(-asked.job.recipients.count, to: asked.use, from: inbound.queue)
        switch answer {
        case .goOn where isDraining:
            move(inbound, to: .lane, entry: asked.entry)
        case .goOn:
            route(asked.job, to: asked.output, inbound, asked.use, entry: asked.entry)
        case .unknown:
            settleAll(asked.job, inbound, asked.environment, as: .unknown, reason: "Redelivered", entry: asked.entry)
        case .drop:
            counts.jobsDuplicate += 1
            let count = ledger.owing(of: asked.entry)
            if let settled = ledger.met(.init(entry: asked.entry, count: count)) { settle([settled]) }
        }
    }
}
