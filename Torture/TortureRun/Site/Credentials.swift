import APNSOutput
import APNSSimulator
import Crypto
import Foundation
import PostgresClient
import PushModel
import Store
import Threading

/// The apps of a run and their credentials, which the simulator knows, too.
final class Credentials: Sendable {
    private let pool: PostgresPool
    private let keyring: MasterKeyring
    private let simulator: APNSSimulator
    /// Those not retired, by app; the newest last.
    private let active = Mutex<[Int: [Credential.ID]]>([:])

    init(pool: PostgresPool, keyring: MasterKeyring, simulator: APNSSimulator) {
        self.pool = pool
        self.keyring = keyring
        self.simulator = simulator
    }

    func addApps() async throws {
        for (number, app) in Workload.apps.enumerated() {
            try await add(app, number)
            try await AppRepository(pool).set(App(bundleID: app.bundleID, accounts: ["apns": AppAccount(app.team)]))
        }
    }

    /// Imports a new credential, and retires the old one. Can be repeated when it has failed half way.
    func rotate(app number: Int) async throws {
        try await add(Workload.apps[number], number)
        for id in active.withLock({ $0[number, default: []].dropLast() }) {
            try await retire(id)
            active.withLock { $0[number]?.removeAll { $0 == id } }
        }
    }

    private func add(_ app: Workload.AppPlan, _ number: Int) async throws {
        let id = try await importNew(app)
        active.withLock { $0[number, default: []].append(id) }
    }

    /// As often as it takes: the answer may have been lost.
    private func retire(_ id: Credential.ID) async throws {
        do {
            try await CredentialRepository(pool).retire(id)
        } catch let error as StoreError where error.code == .notFound {
            // An attempt before has done it.
        }
    }

    private func importNew(_ app: Workload.AppPlan) async throws -> Credential.ID {
        var details = CredentialDetails()
        details.account = app.team
        let file: CredentialFile
        if app.usesCertificate {
            let issued = try simulator.certificateAuthority.issueClientCertificate(app: app.bundleID)
            let pem = issued.certificatePEM + "\n" + issued.privateKeyPEM + "\n"
            file = CredentialFile(name: "\(app.bundleID).pem", contents: Secret(pem.utf8))
        } else {
            let key = P256.Signing.PrivateKey()
            let keyID = "KEY\(UInt64.random(in: 1_000_000...9_999_999))"
            simulator.register(TokenKey(team: app.team, keyID: keyID, publicKey: key.publicKey))
            file = CredentialFile(name: "AuthKey_\(keyID).p8", contents: Secret(key.pemRepresentation.utf8))
        }
        return try await CredentialRepository(pool).importCredential(
            try APNSCredentials().read([file], details, now: .now), keyring: keyring)
    }
}
