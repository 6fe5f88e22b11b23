import APNSSimulator
import Foundation
import PostgresClient
import TestSupport
import Testing
import WorkerTestSupport

extension PrivateServerTests {
    /// A failover between two PostgreSQL servers, in which a standby replaces the primary.
    struct FailoverTests {
        @Test func continuesWithPromotedStandby() async throws {
            try await Installation.with(
                servers: PrivateServers.current, simulator: { $0.streamLimit = LongCampaign.streamLimit }
            ) { installation in
                let campaign = LongCampaign()
                try await installation.addTokenApp(LongCampaign.app)
                try await Standby.with(primary: installation.servers.database) { standby in
                    try await eventually("the standby follows") { try await follows(installation) }
                    let following = try await installation.martlet(["doctor"])
                    #expect(following.output.contains("WARN  durability    standbys follow"), "\(following)")
                    let onStandby = try await installation.martlet(
                        ["doctor"], ["database.url": try standby.url(of: installation.database.url)])
                    #expect(
                        onStandby.status == 1 && onStandby.output.contains("FAIL  server        is a standby"),
                        "\(onStandby)")

                    let port = try freePort()
                    let silent = try SilentPort()
                    let both = try standby.urlOfBoth(installation.database.url)
                    let behind = both.replacing("@", with: "@127.0.0.1:\(silent.port),") + "&connect_timeout=3"
                    let found = try await installation.martlet(["doctor"], ["database.url": behind])
                    #expect(found.status == 0 && found.output.contains("ok    server"), "\(found)")
                    let changes: [String: String?] = [
                        "database.url": behind,
                        "http.listen": "127.0.0.1:\(port)",
                    ]
                    try await installation.withWorker(LongCampaign.workerConfiguration.merging(changes) { $1 }) {
                        worker in
                        try await installation.publish(campaign.jobs)
                        try await eventually(worker.errors) { installation.results.count >= campaign.recipients / 10 }
                        try await PrivateServers.stop(.postgres)
                        let second = PostgresPool(
                            try PostgresConfiguration(url: try standby.url(of: installation.database.url)),
                            logger: installation.log.logger("second"))
                        defer { second.close() }
                        try await second.query("SELECT pg_promote()")
                        try await campaign.finish(in: installation, port: port)
                        try await eventually(worker.errors) {
                            try await second.query(
                                "SELECT count(*)::int AS dead FROM martlet.dead_tokens WHERE app = $1",
                                [.text(LongCampaign.app)])[0]["dead"].integer == campaign.dead.count
                        }
                    }
                    let entries = installation.results.entries
                    #expect(entries.count == campaign.recipients)
                    let doctor = try await installation.martlet(["doctor"], changes)
                    #expect(doctor.status == 0 && doctor.output.contains("ok    server"), "\(doctor)")
                }
                // The next tests need the first server, and the database of this test is dropped there.
                try await PrivateServers.start(.postgres)
                try await eventually("the first server is back") {
                    (try? await installation.database.pool.query("SELECT 1")) != nil
                }
            }
        }

        /// Returns whether one standby follows the server.
        private func follows(_ installation: Installation) async throws -> Bool {
            try await installation.database.pool.query(
                "SELECT count(*)::int AS count FROM pg_stat_replication WHERE state = 'streaming'")[0]["count"].integer
                == 1
        }

        @Test func reconnectsWithChangedPasswordOfDatabase() async throws {
            try await Installation.with(servers: PrivateServers.current) { installation in
                try await installation.addTokenApp(LongCampaign.app)
                let database = installation.database.pool
                try await installation.withLogin(in: "martlet_worker") { url in
                    let user = try #require(URLComponents(string: url)?.user)
                    try installation.write(url, to: "database-url")
                    let environment = ["MARTLET_DATABASE_URL_FILE": installation.path("database-url")]
                    try await installation.withWorker(["database.url": nil], environment: environment) { worker in
                        try await installation.publish([
                            JobText("first", app: LongCampaign.app, to: [Token.random(Token.dead)])
                        ])
                        try await installation.results.wait(for: 1)
                        try await database.query("ALTER ROLE \(user) PASSWORD 'second'")
                        try installation.write(url.replacing(":test@", with: ":second@"), to: "database-url")
                        try await database.query(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", [.text(user)])
                        let dead = Token.random(Token.dead)
                        try await installation.publish([JobText("second", app: LongCampaign.app, to: [dead])])
                        try await installation.results.wait(for: 2)
                        try await eventually(worker.errors) {
                            try await installation.markedTokens(of: LongCampaign.app).contains(dead)
                        }
                        #expect(!worker.errors.contains("password authentication failed"), "\(worker.errors)")
                        // The truncated URL is still valid, but names another database.
                        let cut = url.replacing(":test@", with: ":third@").dropLast()
                        try installation.write(String(cut), to: "database-url")
                        try await database.query(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", [.text(user)])
                        let last = Token.random(Token.dead)
                        try await installation.publish([JobText("third", app: LongCampaign.app, to: [last])])
                        try await eventually(worker.errors) {
                            try await installation.markedTokens(of: LongCampaign.app).contains(last)
                        }
                        #expect(worker.errors.contains("configuration.secret.refused"), "\(worker.errors)")
                        #expect(worker.errors.contains("differs=dbname") && !worker.errors.contains("third@"))
                    }
                }
            }
        }
    }
}
