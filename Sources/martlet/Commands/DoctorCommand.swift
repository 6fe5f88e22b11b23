import AMQPClient
import ArgumentParser
import CredentialStore
import DeliveryPipeline
import Logging
import MartletService
import PostgresClient
import PushModel

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check configuration, broker, database, schema, master key, refusals, credentials, expiry and clock.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let source = try await options.load()
        var report = Report()
        await report.check("configuration") {
            _ = try source.pipeline()
            _ = try source.apns()
            _ = try source.logLevel()
            return "every key is good"
        }
        let keyring = await report.check("master key") {
            let keyring = try source.keyring()
            return (keyring, "\(keyring.keyIDs.count) in the keyring, current is \(keyring.currentKeyID)")
        }
        await report.check("broker") { try await checkBroker(source) }
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

    private func checkBroker(_ source: ConfigurationSource) async throws -> String {
        let names = try source.names()
        let publisher = try AMQPPublisher(
            configuration: try source.broker(), topology: names.topology(delays: RetryPolicy().delays),
            logger: try source.logger("martlet.doctor", atLeast: .critical))
        try await publisher.connectOnce()
        await publisher.close()
        return "connected; exchanges and queues \(names.prefix).* are there"
    }

    private func check(
        _ pool: PostgresPool, _ keyring: MasterKeyring?, _ source: ConfigurationSource, _ report: inout Report
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
            // Provider tokens bear the database's time, and Apple refuses those that are far from its own.
            let finding = "\(abs(skew)) ms \(skew > 0 ? "behind" : "ahead of") the database's"
            guard abs(skew) < 30_000 else { throw DoctorFinding(finding) }
            if abs(skew) > 5_000 { throw DoctorWarning("\(finding): one of the two is wrong") }
            return finding
        }
        guard schema != nil else { return }
        await report.check("refusals") {
            let refusals = try await RefusalRepository(pool).list()
            guard refusals.isEmpty else { throw DoctorWarning(refusals.map(\.text).joined(separator: "; ")) }
            return "APNs refuses no credential, and no app's device tokens"
        }
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
}

/// Not good, and no reason to end with 1.
private struct DoctorWarning: Error {
    let description: String
    init(_ description: String) { self.description = description }
}

private struct DoctorFinding: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Prints a line for each check and counts the bad ones.
private struct Report {
    private(set) var checks = 0
    private(set) var problems = 0

    mutating func check(_ name: String, _ body: () async throws -> String) async {
        let _: Void? = await check(name) { ((), try await body()) }
    }

    mutating func check<Value>(_ name: String, _ body: () async throws -> (Value, String)) async -> Value? {
        checks += 1
        do {
            let (value, finding) = try await body()
            print("ok", name, finding)
            return value
        } catch let warning as DoctorWarning {
            warn(name, warning.description)
        } catch {
            problems += 1
            print("FAIL", name, "\(error)")
        }
        return nil
    }

    func warn(_ name: String, _ finding: String) { print("WARN", name, finding) }

    private func print(_ verdict: String, _ name: String, _ finding: String) {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        Swift.print(padded(verdict, 6) + padded(name, 14) + finding)
    }
}
