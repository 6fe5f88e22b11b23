import PostgresClient
import PushModel
import Store
import Foundations
import Routing

/// The apps of a run and their credentials. The credentials are registered with the services too.
final class Credentials: Sendable {
    private struct Account: Hashable {
        let output: OutputKind
        let app: Int
    }

    private let pool: PostgresPool
    private let keyring: MasterKeyring
    private let services: Services
    /// The credentials that are not retired, by account. The newest one is last.
    private let active = Mutex<[Account: [Credential.ID]]>([:])

    init(pool: PostgresPool, keyring: MasterKeyring, services: Services) {
        self.pool = pool
        self.keyring = keyring
        self.services = services
    }

    func addApps() async throws {
        for (number, app) in Workload.apps.enumerated() {
            var accounts: [String: AppAccount] = [:]
            for service in services.all {
                try await add(number, service)
                accounts[service.output.rawValue] = AppAccount(service.account(of: app))
            }
            try await AppRepository(pool).set(App(bundleID: app.bundleID, accounts: accounts))
        }
    }

    /// Imports new credentials of an app and retires its old ones. It may be repeated after a partial failure.
    func rotate(app number: Int) async throws {
        for service in services.all where service.hasNewCredentials {
            let account = Account(output: service.output, app: number)
            try await add(number, service)
            for id in active.withLock({ $0[account, default: []].dropLast() }) {
                try await retire(id)
                active.withLock { $0[account]?.removeAll { $0 == id } }
            }
        }
    }

    private func add(_ number: Int, _ service: any Service) async throws {
        let id = try await CredentialRepository(pool).importCredential(
            try service.newCredential(of: Workload.apps[number]), of: service.output.rawValue, keyring: keyring)
        active.withLock { $0[Account(output: service.output, app: number), default: []].append(id) }
    }

    /// Retires a credential. It may be repeated, because the database's answer to an earlier attempt may have been
    /// lost.
    private func retire(_ id: Credential.ID) async throws {
        do {
            try await CredentialRepository(pool).retire(id)
        } catch let error as StoreError where error.code == .notFound {
            // An earlier attempt has already retired the credential.
        }
    }
}
