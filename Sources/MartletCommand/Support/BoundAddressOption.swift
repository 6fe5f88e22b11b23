import ArgumentParser
import PostgresClient
import PushModel
import Routing
import Store

/// The option `--lose-addresses`, which permits changes that make addresses unreachable. Some addresses, such as Web
/// Push subscriptions, work only with the key with which they were created.
struct BoundAddressOption: ParsableArguments {
    @Flag(help: "Continue even if addresses bound to the key, such as Web Push subscriptions, become unreachable.")
    var loseAddresses = false

    /// The names of the installed outputs whose addresses are protected.
    var guardedOutputs: Set<String> {
        loseAddresses ? [] : Set(Martlet.installed.filter { $0.credentials?.addressesAreBound ?? false }.map(\.name))
    }

    /// Rejects a change of an app's account if the app's addresses are bound to a key of its present account.
    ///
    /// - Throws: `StoreError` with code `conflict` if the change is rejected; `PostgresError`.
    func check(
        _ app: String, gets account: String, of output: String, _ credentials: any OutputCredentials,
        _ pool: PostgresPool
    ) async throws {
        guard guardedOutputs.contains(output),
            let row = try await AppRepository(pool).list().first(where: { $0.bundleID == app }),
            let old = row.accounts[output]?.id, old != account,
            try await CredentialRepository(pool).list().contains(where: {
                $0.isOf(old, with: output) && $0.state != .retired
            })
        else { return }
        let word = credentials.accountName
        throw StoreError(
            .conflict,
            "the addresses of app \(app) work only with \(word) \(old), not with \(account): assign \(account) to another "
                + "app, for addresses that are created with it. If the existing addresses are no longer used, pass "
                + "--lose-addresses")
    }
}
