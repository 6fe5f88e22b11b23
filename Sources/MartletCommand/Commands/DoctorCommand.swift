import AMQPClient
import ArgumentParser
import DeliveryPipeline
import Logging
import MartletService
import PostgresClient
import PushModel
import Store

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check configuration, broker, database, schema, master key, refusals, credentials, expiry and clock.",
        discussion: "Changes nothing, unless told to declare. Ends with 1 when a check has failed.")

    @Flag(help: "Declare the exchanges and queues that are missing, as a worker does when it starts.")
    var declare = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let source = try await options.load()
        var report = DoctorReport()
        await report.check("configuration") {
            _ = try source.pipeline()
            try source.checkOutputs()
            _ = try source.logLevel()
            return "every key is good"
        }
        let keyring = await report.check("master key") {
            let keyring = try source.keyring()
            return (keyring, "\(keyring.keyIDs.count) in the keyring, current is \(keyring.currentKeyID)")
        }
        await check(source, &report)
        let pool = await report.check("database") {
            let pool = PostgresPool(
                try source.database(applicationName: "martlet doctor"),
                logger: try source.logger("martlet.doctor", atLeast: .critical))
            let version = try await pool.query("SHOW server_version")[0]["server_version"].text
            return (pool, "PostgreSQL \(version)")
        }
        if let hosts = pool?.configuration.unverifiedHosts, !hosts.isEmpty {
            report.warn(
                "database TLS",
                "\(hosts.joined(separator: ", ")) is not verified: set sslmode=verify-full in database.url")
        }
        if let pool { await check(pool, keyring, source, &report) }
        if report.problems > 0 {
            print("\(report.problems) of \(report.checks) checks failed")
            throw ExitCode.failure
        }
    }

    private func check(_ source: ConfigurationSource, _ report: inout DoctorReport) async {
        let found = await report.check("broker") {
            let broker = try source.broker()
            let topology = try source.names().topology(delays: try source.pipeline().retry.delays)
            if declare {
                let publisher = try AMQPPublisher(
                    configuration: broker, topology: topology,
                    logger: try source.logger("martlet.doctor", atLeast: .critical))
                try await publisher.connectOnce()
                await publisher.close()
            }
            let found = try await AMQPInspection.look(at: topology, on: broker, comparesProperties: true)
            return (found, "connected to \(found.broker)")
        }
        guard let found else { return }
        await report.check("queues") {
            if !found.problems.isEmpty {
                throw DoctorFinding(found.problems.map(\.description).joined(separator: "; "))
            }
            if !found.missing.isEmpty {
                let shown = found.missing.prefix(3).joined(separator: ", ")
                let rest = found.missing.count > 3 ? " and \(found.missing.count - 3) more" : ""
                throw DoctorWarning(
                    "not there yet: \(shown)\(rest); a worker declares them when it starts, or 'martlet doctor --declare'"
                )
            }
            if let left = try await LeftShards.find(try source.names(), on: try source.broker()).finding {
                throw DoctorWarning(left)
            }
            return "exchanges and queues are there, as they should be"
        }
        // It is in no answer that AMQP knows.
        report.note(
            "ack timeout",
            "30 minutes, unless the broker's consumer_timeout or a policy's consumer-timeout says otherwise, which it "
                + "does not tell: see 'rabbitmqctl environment' and 'rabbitmqctl list_policies'")
    }

    private func check(
        _ pool: PostgresPool, _ keyring: MasterKeyring?, _ source: ConfigurationSource, _ report: inout DoctorReport
    ) async {
        defer { pool.close() }
        let schema: Void? = await report.check("schema") {
            try await Migrations(
                try source.database(applicationName: "martlet doctor"),
                logger: try source.logger("martlet.doctor", atLeast: .critical)
            ).verify()
            return ((), "up to date")
        }
        await report.check("clock") {
            let before = Timestamp.now
            let database = try await pool.query("SELECT clock_timestamp() AS now")[0]["now"].milliseconds
            let skew = database - (before.milliseconds + Timestamp.now.milliseconds) / 2
            // Shared tokens bear the database's time, and providers refuse those that are far from their own.
            let finding = "\(abs(skew)) ms \(skew > 0 ? "behind" : "ahead of") the database's"
            guard abs(skew) < 30_000 else { throw DoctorFinding(finding) }
            if abs(skew) > 5_000 { throw DoctorWarning("\(finding): one of the two is wrong") }
            return finding
        }
        guard schema != nil else { return }
        await report.check("refusals") {
            let refusals = try await RefusalRepository(pool).list()
            guard refusals.isEmpty else {
                let known = Dictionary(try await CredentialRepository(pool).list().map { ($0.id, $0) }) { $1 }
                throw DoctorWarning(refusals.map { known[$0.credential].described + $0.text }.joined(separator: "; "))
            }
            return "no provider refuses a credential, or an app's device tokens"
        }
        await report.check("workers") { try await Self.workers(pool) }
        guard let keyring else { return }
        await report.check("credentials") {
            let snapshot = try await SnapshotStore.load(
                from: pool, keyring: keyring, logger: try source.logger("martlet.doctor", atLeast: .critical)
            ).current
            if let problem = snapshot.openingProblems.sorted().first { throw DoctorFinding(problem) }
            return "\(snapshot.credentialSummaries.count) can be opened, for \(snapshot.appCount) apps"
        }
        await report.check("expiry") {
            let ending = try await CredentialRepository(pool).list()
                .filter { $0.state == .active }
                .compactMap { summary in summary.daysLeft(at: .now).map { (summary, $0) } }
                .filter { $0.1 < 30 }
                .map { "\($0.0.label) \($0.1 < 0 ? "has expired" : "expires in \($0.1) days")" }
            guard ending.isEmpty else { throw DoctorFinding(ending.joined(separator: "; ")) }
            return "no credential expires within 30 days"
        }
    }

    private static func workers(_ pool: PostgresPool) async throws -> String {
        let workers = WorkerRepository(pool)
        guard try await workers.mayBeWritten() else {
            throw DoctorWarning(
                "this user's workers can't say in martlet.workers that they run, and each counts as the only one: "
                    + "migrate again, or grant SELECT, INSERT, UPDATE and DELETE")
        }
        let (running, stale) = try await workers.list()
        let names = running.isEmpty ? "" : ": \(running.joined(separator: ", "))"
        let gone = stale.isEmpty ? "" : "; no longer heard of: \(stale.joined(separator: ", "))"
        return "\(running.count) run\(names)\(gone)"
    }
}

extension CredentialSummary? {
    /// Whose it is, in front of what is said of it; nothing where it is gone meanwhile.
    fileprivate var described: String {
        map { "\($0.output) \($0.account) (\($0.label.isEmpty ? $0.id : $0.label)), " } ?? ""
    }
}
