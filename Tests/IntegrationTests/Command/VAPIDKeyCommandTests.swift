import Foundation
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// `martlet credential` and `martlet app` with VAPID keys, to which subscriptions are bound.
@Suite(.needsServers)
struct VAPIDKeyCommandTests {
    private struct Created: Decodable {
        let id, label: String
        let shown: [String: String]
    }

    private static let subject = "mailto:push@yourdomain.com"

    private func create(
        _ installation: borrowing Installation, _ account: String, _ more: [String] = []
    ) async throws -> Subprocess.Finished {
        try await installation.martlet(
            ["credential", "create", "--json", "--vapid", account, "--subject", Self.subject] + more)
    }

    private func created(_ finished: Subprocess.Finished) throws -> Created {
        #expect(finished.status == 0, "\(finished)")
        return try JSONDecoder().decode(Created.self, from: Data(finished.output.utf8))
    }

    @Test func refusesChangesThatBreakSubscriptions() async throws {
        try await Installation.with { installation in
            let first = try created(try await create(installation, "shop"))
            let second = try await create(installation, "shop")
            #expect(second.status == 1 && second.errors.contains("shop has the key \(first.id)"), "\(second)")
            let app = ["app", "set", "com.example.shop", "--vapid"]
            #expect(try await installation.martlet(app + ["shop"]).status == 0)
            _ = try created(try await create(installation, "news"))
            let moved = try await installation.martlet(app + ["news"])
            #expect(moved.status == 1 && moved.errors.contains("work only with vapid shop"), "\(moved)")
            let retired = try await installation.martlet(["credential", "retire", first.id])
            #expect(retired.status == 1 && retired.errors.contains("com.example.shop"), "\(retired)")

            #expect(try await installation.martlet(app + ["news", "--lose-addresses"]).status == 0)
            #expect(try await installation.martlet(app + ["shop", "--lose-addresses"]).status == 0)
            let forced = try await installation.martlet(["credential", "retire", first.id, "--lose-addresses"])
            #expect(forced.status == 0, "\(forced)")
            #expect(try await create(installation, "shop").status == 0)
        }
    }

    @Test(arguments: [nil, "correct horse"])
    func writesBackupThatCanBeImported(passphrase: String?) async throws {
        try await Installation.with { installation in
            let file = installation.path("vapid.pem")
            let words = try passphrase.map { ["--passphrase-file", try installation.write($0, to: "words")] } ?? []
            let key = try created(try await create(installation, "shop", ["--out", file] + words))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.hasPrefix("-----BEGIN \(passphrase == nil ? "" : "ENCRYPTED ")PRIVATE KEY-----\n"))

            let again = try await create(installation, "news", ["--out", file])
            #expect(again.status == 64 && again.errors.contains("File exists"), "\(again)")
            let refused = try await create(installation, "shop", ["--out", installation.path("other.pem")])
            #expect(refused.status == 1, "\(refused)")
            #expect(!FileManager.default.fileExists(atPath: installation.path("other.pem")))

            let importing =
                ["credential", "import", "--json", file, "--vapid", "shop", "--subject", Self.subject] + words
            #expect(try created(try await installation.martlet(importing)).id == key.id, "the stored key is in use")
            let retired = try await installation.martlet(["credential", "retire", key.id])
            #expect(retired.status == 0, "\(retired)")
            let back = try created(try await installation.martlet(importing))
            #expect(back.id != key.id && back.shown == key.shown)
        }
    }

    @Test func changesSubject() async throws {
        try await Installation.with { installation in
            let key = try created(try await create(installation, "shop"))
            let bad = try await installation.martlet(["credential", "set", key.id, "--subject", "mailto:a@shop.test"])
            #expect(bad.status == 64 && bad.errors.contains("--subject names shop.test"), "\(bad)")
            let changed = try await installation.martlet(
                ["credential", "set", key.id, "--subject", "https://yourdomain.com/contact"])
            #expect(changed.status == 0, "\(changed)")
            let list = try await installation.martlet(["credential", "list"])
            #expect(list.output.contains("https://yourdomain.com/contact"), "\(list)")
            let check = try await installation.martlet(["credential", "check", key.id])
            #expect(check.output.contains(key.shown["application_server_key"] ?? "-"), "\(check)")
        }
    }

    @Test(arguments: ["mailto:push@example.com", "https://push.example/", "mailto:push@SHOP.LOCALHOST"])
    func refusesReservedSubject(subject: String) async throws {
        try await Installation.with { installation in
            let refused = try await installation.martlet(
                ["credential", "create", "--vapid", "shop", "--subject", subject])
            #expect(refused.status == 1 && refused.errors.contains("a reserved domain"), "\(refused)")
        }
    }
}
