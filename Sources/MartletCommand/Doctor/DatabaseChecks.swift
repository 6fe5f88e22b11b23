import Logging
import MartletConfiguration
import Observability
import PostgresClient
import PushModel
import Store
import Routing

/// The checks that `doctor` makes of the database.
struct DatabaseChecks {
    let source: ConfigurationSource
    let keyring: MasterKeyring?

    func run(_ report: inout DoctorReport) async {
        let pool = await report.check("database") {
            let configuration = try source.database(applicationName: "martlet doctor")
            let version = try await version(configuration)
            let pool = PostgresPool(configuration, logger: try source.logger("martlet.doctor", atLeast: .critical))
            return (pool, "PostgreSQL \(version)")
        }
        guard let pool else { return }
        defer { pool.close() }
        let hosts = pool.configuration.unverifiedHosts
        if !hosts.isEmpty {
            report.add(
                .warning, "database TLS", "\(hosts.joined(separator: ", ")) is not verified",
                "set sslmode=verify-full in database.url")
        }
        await ServerChecks(source: source, pool: pool).run(&report)
        let schema: Void? = await report.check("schema") {
            try await Migrations(
                try source.database(applicationName: "martlet doctor"),
                logger: try source.logger("martlet.doctor", atLeast: .critical)
            ).verify()
            return ((), "up to date")
        }
        await report.check("clock") { try await clock(pool) }
        guard schema != nil else { return }
        await report.check("refusals") {
            let refusals = try await RefusalRepository(pool).list()
            guard refusals.isEmpty else {
                let known = Dictionary(try await CredentialRepository(pool).list().map { ($0.id, $0) }) { $1 }
                throw DoctorWarning(refusals.map { known[$0.credential].described + $0.text }.joined(separator: "; "))
            }
            return "no provider refuses a credential or an app's device tokens"
        }
        await report.check("workers") { try await workers(pool) }
        await problems(pool, &report)
        await answers(pool, &report)
        await report.check("connections") { try await ServerChecks(source: source, pool: pool).connections() }
        guard let keyring else { return }
        await credentials(pool, keyring, &report)
    }

    /// Returns the version of the server. The query uses a connection outside the pool, because the pool's time limit
    /// would hide the reason why a connection fails.
    ///
    /// - Throws: `DoctorFault` if the database refuses or does not answer.
    private func version(_ configuration: PostgresConfiguration) async throws -> String {
        do {
            let connection = try await PostgresConnection.connect(configuration)
            do {
                let version = try await connection.query("SHOW server_version", timeout: .seconds(5))[0]
                await connection.close()
                return try version["server_version"].text
            } catch {
                await connection.close()
                throw error
            }
        } catch let error as PostgresError {
            throw DoctorFault(error.absence)
        }
    }

    private func clock(_ pool: PostgresPool) async throws -> String {
        guard let ahead = try await DatabaseClock.ahead(pool) else {
            throw DoctorWarning("not measured, because the database took longer than a second to answer")
        }
        // Workers create shared provider tokens with the database's time. Providers reject tokens whose time differs
        // too much from their own clock.
        let finding = "\(abs(ahead)) ms \(ahead < 0 ? "behind" : "ahead of") the database's clock"
        guard abs(ahead) < 30_000 else { throw DoctorFault(finding, todo: "synchronise both clocks with NTP") }
        if abs(ahead) > 5_000 { throw DoctorWarning(finding, todo: "check both clocks") }
        return finding
    }

    private func credentials(_ pool: PostgresPool, _ keyring: MasterKeyring, _ report: inout DoctorReport) async {
        func snapshot() async throws -> Snapshot {
            try await SnapshotStore.load(
                from: pool, keyring: keyring, logger: try source.logger("martlet.doctor", atLeast: .critical)
            ).current
        }
        await report.check("credentials") {
            let snapshot = try await snapshot()
            let unreadable = snapshot.unreadableRows.sorted()
            guard unreadable.isEmpty else {
                throw DoctorFault(
                    unreadable.joined(separator: "; "), todo: "correct each column; the jobs of the apps wait")
            }
            let problems = snapshot.openingProblems.sorted()
            guard problems.isEmpty else { throw DoctorFault(problems.joined(separator: "; ")) }
            let apps = Phrase.count(snapshot.appCount, "app")
            let found = "\(snapshot.credentialSummaries.count) can be opened, for \(apps)"
            let lacking = snapshot.allApps.filter {
                !AppRoutingFault.all(of: $0, with: source.outputs, in: snapshot, at: .now).isEmpty
            }
            guard lacking.isEmpty else {
                let names = Phrase.list(lacking.map(\.bundleID).sorted())
                throw DoctorWarning(
                    "\(found); no credential serves \(names)", todo: "'martlet app show' shows what an app lacks")
            }
            return found
        }
        await report.check("provider rules") {
            try CredentialChecks(source: source, snapshot: try await snapshot()).run()
        }
        await report.check("expiry") {
            let ending = try await CredentialRepository(pool).list()
                .filter { $0.state == .active }
                .compactMap { summary in summary.daysLeft(at: .now).map { (summary, $0) } }
                .filter { $0.1 < 30 }
                .map { "\($0.0.label) \($0.1 < 0 ? "has expired" : "expires in \(Phrase.count($0.1, "day"))")" }
            guard ending.isEmpty else { throw DoctorFault(ending.joined(separator: "; ")) }
            return "no credential expires within 30 days"
        }
    }

    /// Adds the open problems of all workers to the report, as the workers' status pages list them.
    private func problems(_ pool: PostgresPool, _ report: inout DoctorReport) async {
        let found = await report.check("problems") {
            let fleet = try await WorkerRepository(pool).fleet()
            let found = fleet.problems
            let trouble = found.count { $0.isTrouble }
            return (found, found.isEmpty ? "no worker reports a problem" : "open: \(found.count), trouble: \(trouble)")
        }
        for problem in found ?? [] {
            report.add(
                problem.isTrouble ? .error : .warning, "problem", "\(problem.line) (since \(problem.since))",
                ProblemKind(rawValue: problem.kind)?.advice(for: Problem.Party(rawValue: problem.party) ?? .unknown)
                    ?? "")
        }
    }

    /// Adds findings about the answers that workers received from providers in the last minute.
    private func answers(_ pool: PostgresPool, _ report: inout DoctorReport) async {
        let fleet = await report.check("answers") {
            let fleet = try await WorkerRepository(pool).fleet()
            let count = fleet.answers.reduce(0) { $0 + $1.accepted + $1.retried + $1.refused }
            return (fleet, "\(Phrase.count(count, "provider answer")) in the last minute")
        }
        guard let fleet else { return }
        for answers in fleet.answers { report.add(.ok, "answers", answers.sentence) }
        if !fleet.withoutAnswers.isEmpty {
            report.add(
                .note, "answers", "not reported by \(Phrase.list(fleet.withoutAnswers))",
                "upgrade these workers, or look at their status pages")
        }
    }

    private func workers(_ pool: PostgresPool) async throws -> String {
        let workers = WorkerRepository(pool)
        guard try await workers.mayBeWritten() else {
            throw DoctorWarning(
                "workers with this user can't write their rows in martlet.workers, and each assumes that no other runs",
                todo: "run 'martlet migrate', or grant SELECT, INSERT, UPDATE and DELETE on this table")
        }
        let fleet = try await workers.fleet()
        let running = fleet.running.map { $0.report?.state == .starting ? "\($0.name) (starting)" : $0.name }
        let silent = fleet.silent.map(\.name)
        let names = running.isEmpty ? "" : ": \(running.joined(separator: ", "))"
        let gone = silent.isEmpty ? "" : "; silent: \(silent.joined(separator: ", "))"
        return "\(running.count) running\(names)\(gone)"
    }
}

extension WorkerReport.ProblemReport {
    fileprivate var isTrouble: Bool { severity == Problem.Severity.trouble.rawValue }
}

extension CredentialSummary? {
    /// The credential's output, account and label, followed by a comma. The text is empty if the credential was removed
    /// in the meantime.
    var described: String {
        map { "\($0.output) \($0.account) (\($0.label.isEmpty ? $0.id : $0.label)), " } ?? ""
    }
}
