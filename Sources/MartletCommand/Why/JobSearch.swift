import AMQPClient
import ArgumentParser
import Contract
import DeliveryPipeline
import MartletConfiguration
import Observability
import OutcomeLedger
import Logging
import PostgresClient
import PushModel
import Routing
import Store

/// A search for information about a job in the database, the broker and the workers' reports. If one source can't be
/// read, the search continues with the other sources.
struct JobSearch {
    let source: ConfigurationSource
    let pool: PostgresPool
    let job: String
    let ref: String?
    let token: String?
    /// The bundle id of the job's app, or `nil` if the operator did not give it.
    let appName: String?

    /// The maximum number of ledger rows to read for the job or recipient.
    private static let mostRows = 100

    func facts() async -> JobFacts {
        var facts = JobFacts(job: job, asksOne: ref != nil || token != nil)
        facts.ledger = await look("ledger", &facts.blind) { try await ledger() }
        facts.dead = await look("dead-letter queue", &facts.blind) { try await dead() }
        let queues = await look("queues", &facts.blind) { try await inQueues() }
        (facts.waiting, facts.backlog) = (queues?.waiting, queues?.backlog)
        let fleet = await look("workers", &facts.blind) { try await WorkerRepository(pool).fleet() }
        facts.problems = fleet?.problems.filter { $0.severity == Problem.Severity.trouble.rawValue }.map(\.line)
        facts.inHand = fleet?.jobsInHand
        facts.cancellation = await look("cancellations", &facts.blind) {
            try await CancellationRepository(pool).find(job)
        }
        let output = facts.ledger?.rows.first?.output ?? facts.ledger?.sums.first?.output
        if let token {
            facts.tokens = await look("token", &facts.blind) { try await tokens(token, output) }
        }
        let name =
            appName ?? facts.ledger?.rows.first?.app ?? facts.ledger?.sums.first?.app ?? (facts.dead ?? nil)?.app
        facts.output = output
        facts.app = await look("app", &facts.blind) { try await app(name, output) }
        if case .known(let app, _) = facts.app, app.isPaused {
            let pauses = await look("audit", &facts.blind) { try await AuditRepository(pool).pauses() }
            facts.pause = pauses?.first { $0.app == app.bundleID }
        }
        if name == nil {
            facts.pausedApps = await look("paused apps", &facts.blind) {
                try await AppRepository(pool).list().filter(\.isPaused).map(\.bundleID).sorted()
            }
            facts.refusals = await look("refusals", &facts.blind) { try await refusals() }
        }
        return facts
    }

    private func look<Found>(
        _ what: String, _ blind: inout [String], _ find: () async throws -> Found
    ) async -> Found? {
        do {
            return try await find()
        } catch {
            blind.append("\(what): \(error)")
            return nil
        }
    }

    private func ledger() async throws -> JobFacts.Ledger {
        let repository = LedgerRepository(pool)
        let kept = LedgerText.kept(job)
        var ledger = JobFacts.Ledger(begin: try await repository.begin())
        guard ledger.begin != nil else { return ledger }
        let hashes = token.map { token in
            source.outputs.map { LedgerRow.hash(of: $0.recipients.canonical(token), output: $0.name) }
        }
        let asksOne = ref != nil || token != nil
        if asksOne {
            ledger.rows = try await repository.rows(
                of: kept, ref: ref.map { LedgerText.kept($0) }, recipients: hashes, most: Self.mostRows)
        } else {
            ledger.sums = try await repository.sums(of: kept)
            if ledger.sums.contains(where: { $0.kind == LedgerKind.rejection }) {
                ledger.rows = try await repository.rows(of: kept, kind: LedgerKind.rejection, most: Self.mostRows)
            }
        }
        // If the operator named a recipient, the outcomes of the whole job are counted only if no row was found,
        // because a job may have a million outcomes.
        if asksOne, ledger.rows.isEmpty { ledger.sums = try await repository.sums(of: kept) }
        return ledger
    }

    private func dead() async throws -> JobFacts.Dead? {
        let queue = try source.names().dead
        let looked = try await BrokerCheck.require(queues: [queue], by: source)
        guard looked.queues[queue]?.consumers == 0 else {
            throw SearchFault(description: "another consumer reads this queue, so its messages are not visible")
        }
        var found: JobFacts.Dead?
        try await DeadQueue(source).forEach(DeadFilter.parse(["--id=\(job)"]), doing: "found") { dead in
            found = JobFacts.Dead(app: dead.app, reason: dead.reason)
            return .keepAndEnd
        }
        return found
    }

    private func inQueues() async throws -> (waiting: [JobFacts.Waiting], backlog: JobFacts.Backlog?) {
        let names = try source.names()
        let topology = names.topology(delays: try source.pipeline().retry.delays)
        let jobs = topology.queues.filter { $0.name != names.dead && $0.name != names.dropped }
        let all = AMQPTopology(queues: jobs + names.ledgerTopology.queues)
        let found = try await AMQPInspection.look(at: all, on: try source.broker()).queues
        return (
            jobs.compactMap { queue in
                found[queue.name].flatMap {
                    $0.messages > 0 ? JobFacts.Waiting(queue: queue.name, messages: $0.messages) : nil
                }
            },
            found[names.ledger].map {
                JobFacts.Backlog(queue: names.ledger, events: $0.messages, isUnread: $0.consumers == 0)
            }
        )
    }

    /// Returns the refusals that make jobs wait, as text. Refusals of an app's device tokens are left out, because no
    /// job waits for them.
    private func refusals() async throws -> [String] {
        let refusals = try await RefusalRepository(pool).list().filter { !$0.isOfTokens }
        guard !refusals.isEmpty else { return [] }
        let known = Dictionary(try await CredentialRepository(pool).list().map { ($0.id, $0) }) { $1 }
        return refusals.map { known[$0.credential].described + $0.text }
    }

    private func tokens(_ token: String, _ output: String?) async throws -> [DeviceToken] {
        var known: [DeviceToken] = []
        for plugin in source.outputs where output == nil || plugin.name == output {
            known += try await DeviceTokenRegistry(pool).show(
                token: token, output: plugin.name, form: plugin.recipients)
        }
        return known
    }

    private func app(_ name: String?, _ output: String?) async throws -> JobFacts.AppState {
        guard let name else { return .unnamed }
        let repository = AppRepository(pool)
        guard let app = try await repository.list().first(where: { $0.bundleID == name }) else { return .unknown(name) }
        if let problem = app.unreadable { return .known(app, faults: [JobFacts.AppFault(problem.message)]) }
        let snapshot = try await SnapshotStore.load(
            from: pool, keyring: try source.keyring(), logger: try source.logger("martlet.why", atLeast: .critical)
        ).current
        let outputs = source.outputs.filter { output == nil || $0.name == output }
        let lacks = AppRoutingFault.all(of: app, with: outputs, named: output, in: snapshot, at: .now)
        let refusals = AppRoute.all(
            of: app, with: outputs, in: snapshot, refusals: try await RefusalRepository(pool).list(), at: .now
        ).filter { !$0.refusals.isEmpty }.map {
            JobFacts.AppFault("\($0.output.name) \($0.environment.rawValue): \($0.explanation)", of: $0.output.name)
        }
        let faults = lacks.map { JobFacts.AppFault($0.text, of: $0.output, todo: $0.remedy) } + refusals
        // Several push types may have the same fault.
        let distinct = faults.reduce(into: [JobFacts.AppFault]()) { all, fault in
            if !all.contains(fault) { all.append(fault) }
        }
        return .known(app, faults: distinct)
    }
}

extension AppRoutingFault {
    /// The command that corrects the fault, or `nil` if the operator must first look at the app's credentials.
    fileprivate var remedy: String? {
        guard let account else {
            return "Add one: 'martlet app set \(app) \(AccountTerms.options(of: output)) …'. Then publish it again."
        }
        return isBare ? "Add a credential: \(AccountTerms.remedy(account, of: output))." : nil
    }
}

/// The reason why a source could not be searched.
private struct SearchFault: Error, CustomStringConvertible {
    let description: String
}
