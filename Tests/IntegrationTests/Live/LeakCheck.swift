import Foundation
import PostgresClient
import Store
import TestSupport
import Testing
import WorkerTestSupport

/// A check that neither the logs of a run nor a dump of its database contain a secret or a complete device token.
struct LeakCheck {
    let landscape: Landscape
    let tokens: Set<String>
    /// The logs of workers and commands, at trace level.
    let logs: String

    func run() async throws {
        var secrets = landscape.secrets
        let webTokens = try await landscape.providerTokens()
        #expect(webTokens.count >= 5, "every key has signed a provider token")
        secrets += webTokens.enumerated().map { KnownSecret("provider token \($0)", $1.utf8.suffix(60)) }
        let search = LeakSearch(secrets)

        #expect(logs.contains("Provider token loaded") && logs.count > 10_000, "the logs cover the whole run")
        expectNothing(in: logs, search)
        let dump = try await dump()
        #expect(dump.contains("sealed_secret") && dump.contains(Landscape.apps[39]), "the dump is complete")
        expectNothing(in: dump, search)

        // The same search finds a leak that is planted.
        try await plant(try #require(secrets.first), try #require(tokens.first))
        let leaking = try await self.dump()
        #expect(search.leaks(in: leaking.utf8).count == 1)
        #expect(deviceTokens(of: tokens, in: leaking.utf8).count == 1)
    }

    private func expectNothing(in text: String, _ search: LeakSearch) {
        #expect(search.leaks(in: text.utf8) == [])
        #expect(deviceTokens(of: tokens, in: text.utf8) == [])
        #expect(webTokens(in: text) == [])
        #expect(!text.contains("PRIVATE KEY"))
    }

    /// Returns a dump of the database, without the rows of the device token registry.
    private func dump() async throws -> String {
        let finished = try await Subprocess.run([
            "/usr/bin/pg_dump", "--exclude-table-data=martlet.device_tokens", landscape.installation.database.url,
        ])
        guard finished.status == 0 else { throw Failure(description: "pg_dump \(finished)") }
        return finished.output
    }

    /// Writes a secret and a device token into the row of a credential.
    private func plant(_ secret: KnownSecret, _ token: String) async throws {
        try await landscape.installation.database.pool.query(
            "UPDATE martlet.credentials SET certificate_chain = certificate_chain || $1, label = $2 WHERE id = (SELECT min(id::text)::uuid FROM martlet.credentials WHERE kind = 'certificate')",
            [.byteaArray([[1, 2, 3] + secret.bytes]), .text("of \(token)")])
    }
}
