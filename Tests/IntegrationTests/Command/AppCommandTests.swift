import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

@Suite(.needsServers)
struct AppCommandTests {
    private static let app = "com.example.shop"

    @Test func setsShowsAndRemovesApps() async throws {
        try await Installation.with { installation in
            let credential = try await installation.addTokenApp(Self.app)
            let new = try await installation.martlet(["app", "set", "com.example.new"])
            #expect(new.status == 64)
            #expect(new.errors.contains("--team"), "\(new)")
            let typo = try await installation.martlet(["app", "set", "com.example.new", "--team", "typo"])
            #expect(typo.status == 64)
            #expect(typo.errors.contains("--team typo is not ten upper-case letters and digits"), "\(typo)")
            let publishers = try await installation.martlet(
                ["app", "set", Self.app, "--allow-publisher", "anybody", "--allow-publisher", "shop"])
            #expect(publishers.status == 64)
            #expect(publishers.errors.contains("--allow-publisher anybody cannot be combined"), "\(publishers)")
            #expect(
                try await installation.martlet(["app", "set", "com.example.new", "--team", "TEAM000001"]).status == 0)
            let listed = try await installation.martlet(["app", "list", "--json"]).output
            #expect(listed.contains(Self.app) && listed.contains("com.example.new"))
            try await listsAppsBesideUnreadableRow(installation)
            let shown = try await installation.martlet(["app", "show", "com.example.new"])
            #expect(shown.output.contains(credential), "\(shown)")
            try await showExplains(installation, credential)
            #expect(try await installation.martlet(["app", "remove", "com.example.new"]).status == 0)
            let gone = try await installation.martlet(["app", "show", "com.example.new"])
            #expect(gone.status == 1)
            #expect(gone.errors.contains("com.example.new"), "\(gone)")
        }
    }

    private func listsAppsBesideUnreadableRow(_ installation: Installation) async throws {
        func change(_ publishers: String) async throws {
            try await installation.database.pool.query(
                "UPDATE martlet.apps SET allowed_publishers = '\(publishers)' WHERE bundle_id = 'com.example.new'")
        }
        try await change("{NULL}")
        for options in [[], ["--json"]] {
            let listed = try await installation.martlet(["app", "list"] + options)
            #expect(listed.status == 1 && listed.output.contains(Self.app), "\(listed)")
            #expect(listed.errors.contains("column allowed_publishers"), "\(listed)")
        }
        try await change("{}")
    }

    private struct Shown: Decodable {
        struct Route: Decodable {
            struct Candidate: Decodable {
                let credential: String
                let rank, obstacle: String?
            }
            let environment, push_type, topic: String
            let credential, problem: String?
            let refused: [String]
            let considered: [Candidate]
        }
        let routes: [Route]
    }

    /// Checks the routes of every push type in every environment. A certificate takes precedence over the team's key.
    private func showExplains(_ installation: Installation, _ key: String) async throws {
        let certificate = try await installation.addCertificateApp("com.example.new", team: "TEAM000001")
        let expired = try await installation.addCertificateApp("com.example.new", team: "TEAM000001")
        try await installation.database.pool.query(
            "UPDATE martlet.credentials SET not_after = '2026-01-01Z' WHERE id::text = $1", [.text(expired)])
        let keyRefusal = Refusal(
            credential: key, environment: .sandbox, topic: nil, reason: "InvalidProviderToken",
            since: Timestamp(seconds: 1_795_168_800))
        try await RefusalRepository(installation.database.pool).write([keyRefusal], ended: [], worker: "w")
        let json = try await installation.martlet(["app", "show", "com.example.new", "--json"])
        let routes = try JSONDecoder().decode(Shown.self, from: Data(json.output.utf8)).routes
        #expect(routes.count == 22, "two environments, eleven push types")
        for route in routes {
            let byCertificate = ["alert", "background", "mdm", "voip", "complication"].contains(route.push_type)
            #expect(route.credential == (byCertificate ? certificate : key), "\(route.push_type)")
            let obstacle = route.considered.first { $0.credential == expired }?.obstacle
            #expect(
                obstacle
                    == (byCertificate
                        ? "expired on 2026-01-01T00:00:00.000Z"
                        : route.push_type == "location"
                            ? "is a certificate, and this push type needs a key" : "is not for topic \(route.topic)"))
            #expect(
                route.refused == (route.environment == "sandbox" && !byCertificate ? ["InvalidProviderToken"] : []))
        }
        let table = try await installation.martlet(["app", "show", "com.example.new"]).output
        #expect(
            table.contains(
                /production +voip +com\.example\.new\.voip +certificate .* certificate for the topic; .*expired on 2026/
            ),
            "\(table)")
        #expect(table.contains(/sandbox +widgets .* key of the team; .*APNs refuses it since .*InvalidProviderToken/))
        _ = try await installation.martlet(["app", "set", "com.example.new", "--paused", "--credential", expired])
        let held = try await installation.martlet(["app", "show", "com.example.new"]).output
        #expect(
            held.contains("paused: its jobs wait") && held.contains(/voip +com\.example\.new\.voip +none +.*expired/))
    }
}
