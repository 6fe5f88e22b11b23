import APNSSimulator
import Foundation
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// `martlet credential check` with the simulator.
@Suite(.needsServers)
struct CredentialCheckCommandTests {
    private struct Report: Decodable {
        let id, reason, advice: String?
        let label, team, environment, endpoint, result, detail: String
        let status, days_left: Int?
    }

    private func reports(_ finished: Subprocess.Finished) throws -> [Report] {
        try JSONDecoder().decode([Report].self, from: Data(finished.output.utf8))
    }

    @Test func checksStoredCredentialsWithFleetsToken() async throws {
        try await Installation.with { installation in
            let key = try await installation.addTokenApp("com.example.shop")
            let certificate = try await installation.addCertificateApp("com.example.news")
            let all = try await installation.martlet(["credential", "check", "--all", "--json"])
            #expect(all.status == 0, "\(all)")
            let found = try reports(all)
            #expect(found.count == 4 && found.allSatisfy { $0.result == "ok" }, "\(all)")
            #expect(found.filter { $0.id == certificate }.allSatisfy { ($0.days_left ?? 0) > 300 })
            #expect(Set(found.compactMap(\.id)) == [key, certificate])

            let again = try await installation.martlet(["credential", "check", key, "--environment", "sandbox"])
            #expect(again.status == 0, "\(again)")
            #expect(again.output.contains("sandbox at 127.0.0.1:\(installation.simulator.port)"), "\(again)")
            #expect(again.output.split(separator: "\n").count == 1)
            #expect(await installation.simulator.counters().byStatus[200] == nil, "no push is delivered")
            #expect(installation.simulator.tokenUses.count == 1)
            let use = try #require(installation.simulator.tokenUses.values.first)
            #expect(use.issued.count == 1, "checks sign no new token: \(use)")

            let push = try await installation.martlet([
                "credential", "check", key, "--environment", "production", "--token", Token.random(), "--app",
                "com.example.shop",
            ])
            #expect(push.status == 0 && push.output.contains("apns-id"), "\(push)")
            #expect(await installation.simulator.counters().byStatus[200] == 1)
        }
    }

    @Test func reportsEachFailureAndChecksAllCredentials() async throws {
        try await Installation.with { installation in
            let good = try await installation.addTokenApp("com.example.good")
            let revoked = try await installation.addTokenApp("com.example.revoked", team: "TEAM000003", isRefused: true)
            let other = try MasterKeyring(text: "other-key \(String(repeating: "B", count: 43))=", source: "test")
            let sealed = try await installation.addTokenApp(
                "com.example.sealed", team: "TEAM000004", sealedWith: other)
            let expired = try await CredentialRepository(installation.database.pool).importCredential(
                NewCredential(
                    kind: .certificate(chainDER: [[1]], privateKeyDER: Secret([1])), account: "TEAM000005",
                    environments: [.production], topics: ["com.example.old"], notBefore: Timestamp(seconds: 1),
                    notAfter: Timestamp(seconds: 1_700_000_000), fingerprint: "x", label: "old"),
                keyring: installation.keyring)
            let checked = try await installation.martlet(["credential", "check", "--all", "--json"])
            #expect(checked.status == 1)
            let found = Dictionary(grouping: try reports(checked)) { $0.id ?? "-" }
            #expect(found[good]?.map(\.result) == ["ok", "ok"])
            #expect(found[revoked]?.map(\.result) == ["refused", "refused"])
            #expect(found[revoked]?.first?.reason == "InvalidProviderToken" && found[revoked]?.first?.status == 403)
            #expect(found[sealed]?.first?.result == "unusable")
            #expect(found[sealed]?.first?.detail.contains("master key other-key") == true, "\(checked)")
            #expect(found[expired]?.first?.detail == "it expired on 2023-11-14T22:13:20.000Z: import the renewed one")

            let away = try await installation.martlet(
                ["credential", "check", good], ["apns.endpoint.production": "127.0.0.1:\(try freePort())"])
            #expect(away.status == 1)
            let lines = away.output.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasPrefix("FAIL") && lines[1].hasPrefix("ok"), "\(away)")
            #expect(lines[0].contains("unreachable: "), "\(away)")

            let unknown = try await installation.martlet(["credential", "check", "no-such-id"])
            #expect(unknown.status == 1 && unknown.errors.contains("there is no credential no-such-id"), "\(unknown)")
            let unclear = try await installation.martlet(["credential", "check", good, "--all"])
            #expect(unclear.status == 64, "\(unclear)")
        }
    }

    /// Every file format that can be imported must also work in a TLS handshake.
    @Test func connectsWithEveryCertificateFormat() async throws {
        let authority = FileManager.default.temporaryDirectory.appending(path: "martlet-authority-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: authority) }
        try await Installation.with(simulator: { $0.directory = authority.path }) { installation in
            try await Self.makeForms(in: installation, authority: authority.path)
            func check(_ arguments: [String]) async throws -> Subprocess.Finished {
                try await installation.martlet(
                    ["credential", "check", "--team", "TEAM000001", "--passphrase-file", "passphrase"] + arguments,
                    // Checking files needs no database.
                    ["database.url": nil, "keyring.file": nil])
            }
            for key in ["ec", "rsa"] {
                for files in [
                    ["modern.p12"], ["keychain.p12"], ["pem", "key"], ["cer", "der"], ["pem", "pbes2"], ["pem", "old"],
                ] {
                    let finished = try await check(files.flatMap { ["--file", "\(key).\($0)"] })
                    #expect(finished.status == 0, "\(key) \(files): \(finished)")
                    #expect(finished.output.contains("BadDeviceToken"), "\(key) \(files): \(finished)")
                }
            }
            let mixed = try await check(["--file", "ec.pem", "--file", "rsa.key"])
            #expect(mixed.status == 1, "\(mixed)")
            #expect(
                mixed.errors.contains("ec.pem: the private key of rsa.key does not belong to the certificate"),
                "\(mixed)")
            let wrongTeam = try await check(["--file", "AuthKey_KEY1234567.p8"])
            #expect(wrongTeam.status == 1 && wrongTeam.output.contains("403 InvalidProviderToken"), "\(wrongTeam)")
        }
    }

    /// Writes certificates and keys in every accepted format.
    private static func makeForms(in installation: Installation, authority: String) async throws {
        try installation.write("Schlüssel\n", to: "passphrase")
        try installation.write(
            "1.2.840.113635.100.6.3.1 = ASN1:NULL\n1.2.840.113635.100.6.3.2 = ASN1:NULL\n", to: "extensions")
        var lines = ["genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out AuthKey_KEY1234567.p8"]
        for (key, options) in [
            ("ec", "EC -pkeyopt ec_paramgen_curve:P-256"), ("rsa", "RSA -pkeyopt rsa_keygen_bits:2048"),
        ] {
            let export = "pkcs12 -export -in \(key).pem -inkey \(key).key -passout file:passphrase"
            lines += [
                "genpkey -algorithm \(options) -out \(key).key",
                "req -new -key \(key).key -subj /UID=com.example.shop/CN=shop -out \(key).csr",
                "x509 -req -in \(key).csr -CA \(authority)/ca.pem -CAkey \(authority)/ca-key.pem -CAcreateserial -extfile extensions -out \(key).pem",
                "\(export) -out \(key).modern.p12",
                "\(export) -legacy -certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-3DES -macalg sha1 -out \(key).keychain.p12",
                "x509 -in \(key).pem -outform DER -out \(key).cer",
                "pkcs8 -topk8 -nocrypt -in \(key).key -outform DER -out \(key).der",
                "pkcs8 -topk8 -in \(key).key -passout file:passphrase -out \(key).pbes2",
                "\(key) -in \(key).key -aes256 -passout file:passphrase \(key == "rsa" ? "-traditional " : "")-out \(key).old",
            ]
        }
        for line in lines {
            let finished = try await Subprocess.run(
                ["/usr/bin/openssl"] + line.split(separator: " ").map(String.init), in: installation.folder)
            try #require(finished.status == 0, "\(line): \(finished)")
        }
    }
}
