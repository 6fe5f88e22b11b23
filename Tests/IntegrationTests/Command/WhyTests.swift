import Contract
import DeliveryPipeline
import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// `martlet why`, and `martlet ledger`, which stores the outcomes for it. Each has only the documented rights.
@Suite(.needsServers, .endsAHang)
struct WhyTests {
    private static let app = "com.example.shop"

    @Test func answersFromOutcomeLedger() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.withWorker { worker in
                try await installation.withLedger { ledger in
                    var job = JobText("order-1", app: Self.app, to: [Token.random(), Token.random(Token.dead)])
                    job.recipients[0].ref = "user-17"
                    try await installation.publish([job])
                    try await installation.publish([
                        JobText("odd", app: Self.app, to: [Token.random()], more: #","priorty":5"#)
                    ])
                    try await eventually("the ledger has both outcomes: \(ledger.errors)\(worker.errors)") {
                        try await installation.martlet(["why", "--job", "order-1"]).output.contains(
                            "2 outcomes are recorded")
                    }
                    let accepted = try await installation.martlet(["why", "--job", "order-1", "--ref", "user-17"])
                    #expect(accepted.status == 0 && accepted.output.contains("apns accepted the push"), "\(accepted)")
                    let dead = try await installation.martlet(
                        ["why", "--job", "order-1", "--token", job.recipients[1].token.uppercased(), "--json"])
                    #expect(dead.status == 0, "\(dead)")
                    let said = try #require(
                        try JSONSerialization.jsonObject(with: Data(dead.output.utf8)) as? [String: Any], "\(dead)")
                    let cause = said["cause"] as? String ?? ""
                    #expect(cause.hasPrefix("apns reported the token as dead at"), "\(dead)")
                    try await eventually("why shows the rejection of the invalid job") {
                        try await installation.martlet(["why", "--job", "odd"]).output.contains("priorty")
                    }
                    let nothing = try await installation.martlet(["why", "--job", "nothing", "--app", Self.app])
                    #expect(nothing.status == 1 && nothing.output.contains("no record was found"), "\(nothing)")
                    let day = nothing.output.contains(/outcomes since [0-9-]+T00:00:00.000Z/)
                    #expect(
                        !day && nothing.output.contains("outcomes since "), "the time is not a whole day: \(nothing)")
                    try await checkMissingAccountIsExplained(installation)
                }
                try await installation.publish([JobText("order-9", app: Self.app, to: [Token.random()])])
                try await eventually("the event waits for the ledger: \(worker.errors)") {
                    try await installation.martlet(["why", "--job", "order-9"]).output.contains(
                        "the ledger is not running: 1 event waits in \(installation.names.prefix).ledger")
                }
            }
            try await installation.broker.delete(queues: ["\(installation.names.prefix).ledger"], exchanges: [])
        }
    }

    /// Checks that a missing account is explained, together with the command that adds it.
    private func checkMissingAccountIsExplained(_ installation: Installation) async throws {
        let job = JobText("order-fcm", app: Self.app, to: [Token.random()], more: #","output":"fcm""#)
        try await installation.publish([job])
        try await eventually("why names the missing account") {
            let why = try await installation.martlet(["why", "--job", "order-fcm"]).output
            return why.contains("1 failed (NoCredential); now app \(Self.app) has no project for fcm\n")
                && why.contains("'martlet app set \(Self.app) --project …'")
        }
    }

    /// The ledger loses its right to insert rows and gets it back. No outcome is lost.
    @Test func storesOutcomesAfterInsertRightIsRestored() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let database = installation.database.pool
            try await installation.withWorker { _ in
                try await installation.withLedger { ledger in
                    try await eventually("the ledger runs: \(ledger.errors)") {
                        ledger.errors.contains("Ledger started")
                    }
                    try await database.query("REVOKE INSERT ON martlet.ledger FROM martlet_ledger")
                    try await installation.publish([JobText("order-2", app: Self.app, to: [Token.random()])])
                    try await eventually("a write fails: \(ledger.errors)") {
                        ledger.errors.contains("The ledger cannot be written")
                    }
                    // The ledger also logs this if its test of the connection fails, perhaps before the job ends.
                    // Workers report their open jobs only every two seconds. Therefore the test polls.
                    try await eventually("only the ledger has the outcome: \(ledger.errors)") {
                        try await installation.martlet(["why", "--job", "order-2"]).output.contains(
                            "a worker has it, the ledger has received its outcome but not yet stored it, or")
                    }
                    try await database.query("GRANT INSERT ON martlet.ledger TO martlet_ledger")
                    try await eventually("the outcome is stored: \(ledger.errors)") {
                        try await installation.martlet(["why", "--job", "order-2"]).status == 0
                    }
                    #expect(ledger.errors.contains("The ledger can be written again"), "\(ledger.errors)")
                }
            }
            try await installation.broker.delete(queues: ["\(installation.names.prefix).ledger"], exchanges: [])
        }
    }

    @Test func answersWithoutOutcomeLedger() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.withWorker { _ in
                try await installation.publish([JobText("odd", app: Self.app, to: [Token.random()], more: #","x":5"#)])
                try await eventually("the job is rejected") { installation.results.rejections.count == 1 }
                let odd = try await installation.martlet(["why", "--job", "odd"])
                #expect(odd.status == 0 && odd.output.contains("is in the dead-letter queue"), "\(odd)")
                #expect(odd.output.contains("does not exist"), "\(odd)")
                #expect(try await installation.martlet(["app", "set", Self.app, "--paused"]).status == 0)
                let paused = try await installation.martlet(["why", "--job", "later", "--app", Self.app])
                #expect(paused.status == 1, "\(paused)")
                #expect(paused.output.contains(/is paused now \(since .*, by \w+\), and its jobs wait/), "\(paused)")
                #expect(paused.output.hasPrefix("later: there is no outcome ledger ("), "\(paused)")
                let unnamed = try await installation.martlet(["why", "--job", "later"])
                #expect(
                    unnamed.status == 1
                        && unnamed.output.contains("or it has ended; it waits if its app is paused (\(Self.app))"),
                    "\(unnamed)")
                let resumed = try await installation.martlet(["app", "set", Self.app, "--no-paused"])
                #expect(resumed.status == 0, "\(resumed)")
                let unknown = try await installation.martlet(["why", "--job", "later", "--app", "com.example.other"])
                #expect(unknown.output.contains("com.example.other is not registered now"), "\(unknown)")
                let (bare, team) = ("com.example.bare", "NOSUCHTEAM")
                let added = try await installation.martlet(["app", "set", bare, "--team", team])
                #expect(added.status == 0 && added.errors.contains("team \(team) has no credential yet: "), "\(added)")
                let lacking = try await installation.martlet(["why", "--job", "later", "--app", bare])
                #expect(
                    lacking.output.hasPrefix(
                        """
                        later: there is no outcome ledger ('martlet ledger' creates one), so outcomes are not \
                        recorded; now team \(team) has no credential
                        Add a credential: 'martlet credential import FILE --team \(team)'
                        """), "\(lacking)")
                let doctor = try await installation.martlet(["doctor"])
                #expect(
                    doctor.output.contains(
                        /WARN +credentials +1 can .* 2 apps; no credential serves com.example.bare:/), "\(doctor)")
                _ = try await installation.martlet(["job", "cancel", "stopped"])
                let cancelled = try await installation.martlet(["why", "--job", "stopped"])
                #expect(cancelled.status == 0 && cancelled.output.contains("the job was cancelled at"), "\(cancelled)")
            }
        }
    }
}

extension Installation {
    /// Runs `martlet ledger` while `body` runs. Its database login can only write the outcome ledger.
    func withLedger(
        _ changes: [String: String?] = [:], _ body: (Subprocess) async throws -> Void
    ) async throws {
        try await withLogin(in: "martlet_ledger") { url in
            let configuration = try configuration(
                ["database.url": url, "keyring.file": nil].merging(changes) { $1 }, file: "ledger.yaml")
            let ledger = try Subprocess([Project.command, "ledger", "--config", configuration], in: folder)
            do {
                // A connected ledger has declared its queue, so it receives every later event.
                try await eventually("the ledger consumes: \(ledger.errors)") {
                    ledger.errors.contains("broker.connected")
                }
                try await body(ledger)
            } catch {
                ledger.signal(SIGKILL)
                throw Failure(description: "\(error)\n\(ledger.errors)")
            }
            ledger.signal(SIGTERM)
            let finished = try await ledger.finish()
            #expect(finished.status == 0, "\(finished)")
        }
    }
}
