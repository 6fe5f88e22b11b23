import APNSSimulator
import Crypto
import Foundation
import PostgresClient
import PushModel
import Store
import TestSupport
import WorkerTestSupport
import Routing

/// Forty apps of four teams. Every team has a key, and two of the apps have certificates. The landscape records every
/// secret that it creates.
struct Landscape {
    static let apps = (0..<40).map { "com.example.app\($0)" }
    /// Returns the team of the app with this index.
    static func team(of app: Int) -> String { "TEAM00000\(app % 4 + 1)" }

    let installation: Installation
    private(set) var secrets: [KnownSecret] = []
    /// The keys of the four teams.
    private(set) var keys: [Imported] = []
    /// The certificates of the second and the third app.
    private(set) var certificates: [Imported] = []
    /// The master keys, with the newest last.
    private(set) var masterKeys: [Data]

    /// Creates the apps and imports their credentials.
    ///
    /// - Parameter masterKey: the master key that the installation starts with, named live-1.
    init(_ installation: Installation, masterKey: Data) async throws {
        self.installation = installation
        masterKeys = [masterKey]
        secrets += KnownSecret.key("master key", scalar: masterKey)
        for (index, app) in Self.apps.enumerated() {
            try await installation.setApp(App(bundleID: app, accounts: ["apns": AppAccount(Self.team(of: index))]))
        }
        for team in 0..<4 { keys.append(try await importKey(of: Self.team(of: team))) }
        for app in [1, 2] {
            certificates.append(try await importCertificate(of: Self.apps[app], team: Self.team(of: app)))
        }
    }

    /// An imported credential, with the name by which both the database and the simulator's records identify it.
    struct Imported {
        let id: Credential.ID
        /// The key's id, or the certificate's fingerprint.
        let recorded: String
        /// The time of the commit, by the database's clock.
        let at: Timestamp
    }

    /// Imports a new key of a team with the command, as an operator does.
    mutating func importKey(of team: String) async throws -> Imported {
        let key = P256.Signing.PrivateKey()
        let keyID = "KEY\(UInt64.random(in: 1_000_000...9_999_999))"
        secrets += KnownSecret.key("key \(keyID)", scalar: key.rawRepresentation)
        installation.simulator.register(TokenKey(team: team, keyID: keyID, publicKey: key.publicKey))
        let file = try installation.write(key.pemRepresentation, to: "AuthKey_\(keyID).p8")
        return try await imported(try await run(["credential", "import", file, "--team", team]))
    }

    /// Imports a new certificate of an app with the command, as a .p12 file with a passphrase.
    mutating func importCertificate(of app: String, team: String) async throws -> Imported {
        let issued = try installation.simulator.certificateAuthority.issueClientCertificate(app: app)
        let key = try P256.Signing.PrivateKey(pemRepresentation: issued.privateKeyPEM)
        secrets += KnownSecret.key("certificate's key", scalar: key.rawRepresentation)
        let passphrase = "passphrase-\(UUID().uuidString)"
        secrets.append(KnownSecret("passphrase", passphrase.utf8))
        try installation.write(passphrase + "\n", to: "passphrase")
        try installation.write(issued.certificatePEM + "\n" + issued.privateKeyPEM + "\n", to: "both.pem")
        let made = try await Subprocess.run(
            [
                "/usr/bin/openssl", "pkcs12", "-export", "-in", "both.pem", "-out", "push.p12", "-passout",
                "file:passphrase",
            ],
            in: installation.folder)
        guard made.status == 0 else { throw Failure(description: "openssl \(made)") }
        return try await imported(
            try await run([
                "credential", "import", installation.path("push.p12"), "--team", team, "--passphrase-file",
                installation.path("passphrase"),
            ]))
    }

    /// Retires a credential with the command.
    ///
    /// - Returns: the time of the commit.
    func retire(_ credential: Imported) async throws -> Timestamp {
        _ = try await run(["credential", "retire", credential.id])
        return try await time("SELECT updated_at AS at FROM martlet.credentials WHERE id::text = '\(credential.id)'")
    }

    /// Pauses or resumes an app with the command.
    ///
    /// - Returns: the time of the commit.
    func setPaused(_ isPaused: Bool, _ app: String) async throws -> Timestamp {
        _ = try await run(["app", "set", app, isPaused ? "--paused" : "--no-paused"])
        return try await time("SELECT updated_at AS at FROM martlet.apps WHERE bundle_id = '\(app)'")
    }

    /// Seals all secrets under a new master key, as an operator does: adds the new key at the top of the keyring, then
    /// runs `rekey`.
    mutating func rekey() async throws {
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        masterKeys.append(key)
        secrets += KnownSecret.key("new master key", scalar: key)
        try installation.write(masterKeyLines(.max), to: "keyring")
        let finished = try await run(["credential", "rekey"])
        let old = masterKeys.count - 1
        guard finished.output.contains("no row needs master key live-\(old)") else {
            throw Failure(description: "\(finished)")
        }
    }

    /// Removes all master keys except the newest from the keyring.
    func removeOldMasterKeys() throws { try installation.write(masterKeyLines(1), to: "keyring") }

    private func masterKeyLines(_ count: Int) -> String {
        masterKeys.enumerated().reversed().prefix(count).map {
            "live-\($0.offset + 1) \($0.element.base64EncodedString())\n"
        }
        .joined()
    }

    /// Returns the provider tokens that the workers share, decrypted.
    func providerTokens() async throws -> [String] {
        let keyring = try MasterKeyring(text: masterKeyLines(.max), source: "test")
        let repository = SharedTokenRepository(installation.database.pool, keyring: keyring)
        var tokens: [String] = []
        for row in try await installation.database.pool.query("SELECT credential FROM martlet.provider_tokens") {
            let shared = try await repository.token(of: try row["credential"].uuid, youngerThan: .max) { _ in
                throw Failure(description: "the database has no valid provider token, so a new one would be signed")
            }
            tokens.append(shared.token.withBytes { String(decoding: $0, as: UTF8.self) })
        }
        return tokens
    }

    /// The output and logs of the commands, at trace level.
    let said = SaidByCommands()

    private func run(_ arguments: [String]) async throws -> Subprocess.Finished {
        let finished = try await installation.martlet(arguments, ["log.level": "trace"])
        said.add(finished.output + finished.errors)
        guard finished.status == 0 else { throw Failure(description: "\(arguments) \(finished)") }
        return finished
    }

    private func imported(_ finished: Subprocess.Finished) async throws -> Imported {
        let rows = try await installation.database.pool.query(
            "SELECT id, coalesce(key_id, fingerprint) AS recorded, created_at FROM martlet.credentials")
        for row in rows where finished.output.contains(try row["id"].uuid) {
            return Imported(
                id: try row["id"].uuid, recorded: try row["recorded"].text,
                at: Timestamp(milliseconds: try row["created_at"].milliseconds))
        }
        throw Failure(description: "the output names no credential of the database: \(finished)")
    }

    private func time(_ question: String) async throws -> Timestamp {
        Timestamp(milliseconds: try await installation.database.pool.query(question)[0]["at"].milliseconds)
    }
}
