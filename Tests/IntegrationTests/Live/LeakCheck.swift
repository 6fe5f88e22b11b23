import Foundation
import PostgresClient
import Store
import TestSupport
import Testing
import WorkerTestSupport

/// After a run: neither its logs nor a dump of its database hold a secret or a whole device token.
struct LeakCheck {
    let landscape: Landscape
    let tokens: Set<String>
    /// Of workers and commands, at trace level.
    let logs: String

    func run() async throws {
        var secrets = landscape.secrets
        let webTokens = try await landscape.providerTokens()
        #expect(webTokens.count >= 5, "all keys have made one")
        secrets += webTokens.enumerated().map { KnownSecret("provider token \($0)", $1.utf8.suffix(60)) }
        let search = LeakSearch(secrets)

        #expect(logs.contains("Provider token taken") && logs.count > 10_000, "they are the logs of a whole run")
        expectNothing(in: logs, search)
        let dump = try await dump()
        #expect(dump.contains("sealed_secret") && dump.contains(Landscape.apps[39]), "it is a dump of the whole")
        expectNothing(in: dump, search)

        // The same eyes see a leak.
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

    /// The registry of device tokens holds device tokens; all else is dumped with its data.
    private func dump() async throws -> String {
        let finished = try await Subprocess.run([
            "/usr/bin/pg_dump", "--exclude-table-data=martlet.device_tokens", landscape.installation.database.url,
        ])
        guard finished.status == 0 else { throw Failure(description: "pg_dump \(finished)") }
        return finished.output
    }

    private func plant(_ secret: KnownSecret, _ token: String) async throws {
        try await landscape.installation.database.pool.query(
            "UPDATE martlet.credentials SET certificate_chain = certificate_chain || $1, label = $2 WHERE id = (SELECT min(id::text)::uuid FROM martlet.credentials WHERE kind = 'certificate')",
            [.byteaArray([[1, 2, 3] + secret.bytes]), .text("of \(token)")])
    }
}
