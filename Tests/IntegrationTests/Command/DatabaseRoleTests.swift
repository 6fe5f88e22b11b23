import APNSSimulator
import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// The commands, run as a database user with the minimum rights.
@Suite(.needsServers, .endsAHang)
struct DatabaseRoleTests {
    @Test func runsWorkerWithRightsOfWorkerGroup() async throws {
        try await Installation.with { installation in
            let apps = ["com.example.shop", "com.example.news", "com.example.gone"]
            try await installation.addTokenApp(apps[0])
            try await installation.addCertificateApp(apps[1])
            try await installation.addTokenApp(apps[2], team: "TEAM000003", isRefused: true)
            try await installation.withLogin(in: "martlet_worker") { url in
                let dead = Token.random(Token.dead)
                try await installation.withWorker(["database.url": url, "retry.delays": "1,2"]) { worker in
                    try await installation.publish([
                        JobText("1", app: apps[0], to: Token.random(count: 50) + [dead]),
                        JobText("2", app: apps[1], to: Token.random(count: 50)),
                        JobText("3", app: apps[2], to: Token.random(count: 2)),
                    ])
                    try await installation.results.wait(for: 101)
                    try await eventually(worker.errors) {
                        try await installation.database.pool.query("SELECT 1 FROM martlet.refusals").count == 1
                    }
                    // The worker also applies a change to the apps while it runs.
                    try await installation.addTokenApp("com.example.new", team: "TEAM000004")
                    try await eventually(worker.errors) { worker.errors.contains("apps=4") }
                    try await installation.publish([JobText("4", app: "com.example.new", to: Token.random(count: 5))])
                    try await installation.results.wait(for: 106)
                    #expect(!worker.errors.contains("permission denied"), "\(worker.errors)")
                }
                #expect(installation.results.tally["sent"] == 105)
                #expect(try await installation.markedTokens(of: apps[0]) == [dead])
            }
        }
    }

    @Test func runsOperatorCommandsWithRightsOfOperatorGroup() async throws {
        try await Installation.with { installation in
            try await installation.addCertificateApp("com.example.news")
            let issued = try installation.simulator.certificateAuthority.issueClientCertificate(app: "com.example.shop")
            let pem = try installation.write(issued.certificatePEM + "\n" + issued.privateKeyPEM + "\n", to: "push.pem")
            try await installation.withLogin(in: "martlet_operator") { url in
                func run(_ arguments: String...) async throws -> String {
                    let finished = try await installation.martlet(arguments, ["database.url": url])
                    #expect(finished.status == 0, "\(arguments): \(finished)")
                    return finished.output
                }
                let imported = try await run("credential", "import", pem, "--team", "TEAM000001")
                let id = try #require(imported.firstMatch(of: /as ([0-9a-f-]{36}):/)?.1)
                _ = try await run("app", "set", "com.example.shop", "--team", "TEAM000001", "--credential", "\(id)")
                #expect(try await run("app", "list").contains("com.example.shop"))
                #expect(try await run("app", "show", "com.example.shop").contains(id))
                _ = try await run("app", "set", "com.example.shop", "--credential", "none", "--paused")
                #expect(try await run("credential", "list").contains(id))
                #expect(try await run("credential", "rekey").contains("sealed 0 of 2 rows with master key"))
                #expect(try await run("doctor").contains("ok    credentials"))
                #expect(try await run("migrate").contains("up to date"))
                _ = try await run("credential", "retire", "\(id)")
                _ = try await run("app", "remove", "com.example.shop")
                let audit = try await run("audit", "--since", "1h", "--app", "com.example.shop")
                // The lines are a header, three changes to the app and four changes to its account.
                #expect(audit.split(separator: "\n").count == 8, "\(audit)")
                #expect(audit.contains("paused: false → true"), "\(audit)")
                let deletion = audit.split(separator: "\n").first { $0.contains("delete app_accounts") } ?? ""
                #expect(deletion.contains("account: TEAM000001"), "\(audit)")
                #expect(audit.contains("martlet_test_role_") && audit.contains("martlet app (127.0.0.1)"), "\(audit)")
                let json = try await run("audit", "--credential", "\(id)", "--json")
                let entries = try #require(
                    try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
                #expect(entries.map { $0["operation"] as? String } == ["update", "insert"], "\(json)")
            }
        }
    }

    @Test(arguments: [["audit", "--since", "yesterday"], ["audit", "--limit", "0"]])
    func exitsWith64OnWrongUsageOfAudit(_ words: [String]) async throws {
        #expect(try await Subprocess.run([Project.command] + words).status == 64)
    }
}
