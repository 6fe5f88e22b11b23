import APNSOutput
import APNSSimulator
import Crypto
import PushModel
import Store
import TestSupport
import WorkerTestSupport
import Routing

extension Installation {
    /// Adds an app with a token key.
    ///
    /// - Parameter isRefused: whether the key is not registered with the simulator, which then refuses it.
    @discardableResult
    func addTokenApp(
        _ bundleID: String, team: String = "TEAM000001", isRefused: Bool = false, sealedWith other: MasterKeyring? = nil
    ) async throws -> Credential.ID {
        let key = P256.Signing.PrivateKey()
        let keyID = String("KEY\(UInt64.random(in: 1_000_000...9_999_999))")
        if !isRefused { simulator.register(TokenKey(team: team, keyID: keyID, publicKey: key.publicKey)) }
        var details = CredentialDetails()
        details.account = team
        let file = CredentialFile(name: "AuthKey_\(keyID).p8", contents: Secret(key.pemRepresentation.utf8))
        return try await add(bundleID, team, try APNSCredentials().read([file], details, now: .now), sealedWith: other)
    }

    /// Adds an app with a push certificate of the simulator's authority.
    @discardableResult
    func addCertificateApp(_ bundleID: String, team: String = "TEAM000002") async throws -> Credential.ID {
        let issued = try simulator.certificateAuthority.issueClientCertificate(app: bundleID)
        var details = CredentialDetails()
        details.account = team
        let pem = issued.certificatePEM + "\n" + issued.privateKeyPEM + "\n"
        let file = CredentialFile(name: "\(bundleID).pem", contents: Secret(pem.utf8))
        return try await add(bundleID, team, try APNSCredentials().read([file], details, now: .now), sealedWith: nil)
    }

    private func add(
        _ bundleID: String, _ team: String, _ credential: NewCredential, sealedWith other: MasterKeyring?
    ) async throws -> Credential.ID {
        let id = try await CredentialRepository(database.pool).importCredential(credential, keyring: other ?? keyring)
        try await setApp(App(bundleID: bundleID, accounts: ["apns": AppAccount(team)]))
        return id
    }

    /// Returns the credential that a worker uses for an app.
    func credential(of app: String) async throws -> Credential {
        let snapshots = try await SnapshotStore.load(
            from: database.pool, keyring: keyring, logger: log.logger("snapshots"))
        return try snapshots.current.route(
            app: app, with: OutputAccounts(name: "apns", accountName: "team"), environment: nil,
            need: CredentialNeed(topic: app)
        ).get().credential
    }

    func setApp(_ app: App) async throws { try await AppRepository(database.pool).set(app) }
}
