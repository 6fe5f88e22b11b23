import APNSSimulator
import Foundation
import PostgresClient
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

@Suite(.needsServers)
struct CredentialCommandTests {
    private struct Imported: Decodable {
        let id: String?
        let kind, team, label: String
        let environments, replaces: [String]
        let days_left: Int?
    }

    @Test func printsImportAsJSON() async throws {
        try await Installation.with { installation in
            try await makeFiles(in: installation)
            func imported(_ arguments: [String]) async throws -> Imported {
                let finished = try await installation.martlet(["credential", "import", "--json"] + arguments)
                #expect(finished.status == 0, "\(finished)")
                return try JSONDecoder().decode(Imported.self, from: Data(finished.output.utf8))
            }
            let key = [installation.path("AuthKey_KEY1234567.p8"), "--team", "TEAM000001"]
            #expect(try await imported(key + ["--dry-run"]).id == nil)
            let first = try await imported(key)
            #expect(first.id != nil && first.kind == "token" && first.team == "TEAM000001" && first.days_left == nil)
            #expect(first.environments == ["production", "sandbox"] && first.replaces == [])
            let pem = installation.path("push.pem")
            let certificate = try await imported([pem, "--team", "TEAM000002"])
            #expect(certificate.kind == "certificate" && (certificate.days_left ?? 0) > 0)
            let nameless = try await installation.martlet(["credential", "import", "--json", key[0]])
            #expect(nameless.errors.contains("AuthKey_KEY1234567.p8: a team id is required"), "\(nameless)")
        }
    }

    private struct Listed: Decodable {
        let id, kind, team, state: String
        let topics: [String]
    }

    @Test func importsCredentialsWithoutRevealingSecrets() async throws {
        try await Installation.with { installation in
            func succeed(_ arguments: [String]) async throws -> String {
                let finished = try await installation.martlet(arguments)
                #expect(finished.status == 0, "\(arguments): \(finished)")
                return finished.output + finished.errors
            }
            try await makeFiles(in: installation)
            let p8 = installation.path("AuthKey_KEY1234567.p8"), pem = installation.path("push.pem")
            var said = ""
            said += try await succeed(["credential", "import", p8, "--team", "TEAM000001"])
            said += try await succeed(["credential", "import", pem, "--team", "TEAM000002"])
            said += try await succeed([
                "credential", "import", installation.path("push.p12"), "--team", "TEAM000003", "--passphrase-file",
                installation.path("passphrase"),
            ])
            said += try await succeed(["credential", "list"])
            let list = try await succeed(["credential", "list", "--json"])
            let listed = try JSONDecoder().decode([Listed].self, from: Data(list.utf8))
            #expect(Set(listed.map(\.kind)) == ["token", "certificate"])
            #expect(listed.filter { $0.kind == "certificate" }.allSatisfy { $0.topics.contains("com.example.news") })
            #expect(Set(listed.map(\.team)) == ["TEAM000001", "TEAM000002", "TEAM000003"])

            for file in [p8, pem] {
                let key = try #require(
                    try String(contentsOfFile: file, encoding: .utf8).split(separator: "PRIVATE KEY-----")
                        .dropFirst().first)
                for line in key.split(separator: "\n").dropLast() { #expect(!(said + list).contains(line)) }
            }
            #expect(!(said + list).contains("PRIVATE") && !(said + list).contains("hunter2"))
            // The database contains no private key in plain text either.
            let dump = try await installation.database.pool.query(
                "SELECT count(*) AS n FROM martlet.credentials WHERE position('PRIVATE KEY'::bytea IN sealed_secret) > 0"
            )
            #expect(try dump[0]["n"].integer == 0)

            let again = try await installation.martlet(["credential", "import", p8, "--team", "TEAM000001"])
            #expect(again.status == 1)
            #expect(again.errors.contains("was already imported"), "\(again)")
            for credential in listed { _ = try await succeed(["credential", "retire", credential.id]) }
            let states = try JSONDecoder().decode(
                [Listed].self, from: Data(try await succeed(["credential", "list", "--json"]).utf8)
            ).map(\.state)
            #expect(Set(states) == ["retired"])
        }
    }

    @Test func namesInvalidFileAndFault() async throws {
        try await Installation.with { installation in
            try await makeFiles(in: installation)
            let p12 = installation.path("push.p12"), wrong = try installation.write("wrong\n", to: "wrong")
            let text = try installation.write("just text\n", to: "text.p8")
            let faults = [
                ([p12, "--passphrase-file", wrong], "push.p12"), ([p12], "push.p12"), ([text], "text.p8"),
                (["/nowhere/key.p8"], "/nowhere/key.p8"), ([installation.path("certificate.pem")], "private key"),
                ([installation.path("AuthKey_KEY1234567.p8")], "team"),
            ]
            for (arguments, word) in faults {
                let finished = try await installation.martlet(["credential", "import"] + arguments)
                #expect(finished.status == 1, "\(arguments): \(finished)")
                #expect(finished.errors.contains(word), "\(arguments): \(finished)")
            }
            #expect(try await installation.martlet(["credential", "list", "--json"]).output == "[\n]\n")
        }
    }

    @Test func dryRunDescribesImportWithoutDatabase() async throws {
        try await Installation.with { installation in
            try await makeFiles(in: installation)
            let finished = try await installation.martlet(
                ["credential", "import", installation.path("push.pem"), "--team", "TEAM000002", "--dry-run"],
                ["database.url": nil, "keyring.file": nil])
            #expect(finished.status == 0, "\(finished)")
            let said = finished.output.split(separator: "\n").map(String.init)
            #expect(
                said.first
                    == "Apple Push Services: com.example.news: team TEAM000002, production, sandbox, com.example.news, com.example.news.complication, com.example.news.voip"
            )
            #expect(
                said.dropFirst().first
                    == "covers com.example.news (app), com.example.news.complication (complication), com.example.news.voip (voip)"
            )
            #expect(said.count == 4 && said[2].hasPrefix("expires 20") && said[3] == "nothing was imported", "\(said)")
            let nameless = try await installation.martlet(
                ["credential", "import", installation.path("push.pem"), "--dry-run"])
            #expect(nameless.status == 0 && nameless.output.contains(": no team, production, sandbox, "), "\(nameless)")
            #expect(nameless.output.hasSuffix("\nto import it, pass --team\nnothing was imported\n"), "\(nameless)")
            let issued = installation.path("issued.pem")
            let simulated = try await Subprocess.run([
                Project.simulator, "certificate", "--directory", installation.path("authority"), "--app",
                "com.example.news",
                "--team", "TEAM000004", "--key", "ec", "--output", issued,
            ])
            #expect(simulated.status == 0, "\(simulated)")
            let named = try await installation.martlet(["credential", "import", issued, "--dry-run"])
            #expect(named.output.contains(": team TEAM000004, production, sandbox, "), "\(named)")
            #expect(try await installation.martlet(["credential", "list", "--json"]).output == "[\n]\n")
        }
    }

    @Test func namesCertificateThatImportReplaces() async throws {
        try await Installation.with { installation in
            try await makeFiles(in: installation)
            func imported(_ file: String, _ options: String...) async throws -> String {
                let finished = try await installation.martlet(
                    ["credential", "import", installation.path(file), "--team", "TEAM000002"] + options)
                #expect(finished.status == 0, "\(finished)")
                return finished.output
            }
            let first = try await imported("push.pem")
            let id = try #require(first.firstMatch(of: /as ([0-9a-f-]{36}):/)?.1)
            #expect(!first.contains("retire"), "\(first)")
            let key = try await imported(
                "AuthKey_KEY1234567.p8", "--topic", "com.example.news", "--environment", "production")
            #expect(!key.contains("retire"), "\(key)")
            let renewed = try await imported("other.pem")
            #expect(renewed.contains("is still active for the same topics"), "\(renewed)")
            #expect(renewed.contains("martlet credential retire \(id)"), "\(renewed)")
            #expect(renewed.split(separator: "retire the old one").count == 2, "a key is not replaced: \(renewed)")
        }
    }

    /// Writes a .p8 file in Apple's format, and certificates with their keys as PEM and as .p12 files.
    private func makeFiles(in installation: Installation) async throws {
        let issued = try installation.simulator.certificateAuthority.issueClientCertificate(app: "com.example.news")
        try installation.write(issued.certificatePEM + "\n" + issued.privateKeyPEM + "\n", to: "push.pem")
        try installation.write(issued.certificatePEM + "\n", to: "certificate.pem")
        // A certificate can be imported only once, so the .p12 file contains a second one.
        let other = try installation.simulator.certificateAuthority.issueClientCertificate(app: "com.example.news")
        try installation.write(other.certificatePEM + "\n" + other.privateKeyPEM + "\n", to: "other.pem")
        try installation.write("hunter2\n", to: "passphrase")
        for arguments in [
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out AuthKey_KEY1234567.p8",
            "pkcs12 -export -in other.pem -out push.p12 -passout file:passphrase",
        ] {
            let finished = try await Subprocess.run(
                ["/usr/bin/openssl"] + arguments.split(separator: " ").map(String.init), in: installation.folder)
            try #require(finished.status == 0, "\(finished)")
        }
    }
}
