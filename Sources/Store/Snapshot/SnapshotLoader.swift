import PostgresClient
import PushModel
import Routing

/// A loader that reads all apps and credentials as of one moment.
struct SnapshotLoader: Sendable {
    struct Loaded: Sendable {
        let snapshot: Snapshot
        let version: String
    }

    let pool: PostgresPool
    let keyring: MasterKeyring

    /// Loads a snapshot, unless nothing has changed.
    ///
    /// - Parameters:
    ///   - previous: the last result. Its secrets are kept for rows that can't be opened at present.
    ///   - timeout: the timeout of each statement.
    /// - Returns: the result, or `nil` if nothing has changed since `previous`.
    func load(after previous: Loaded?, timeout: Duration) async throws -> Loaded? {
        // The generation is read before the rows are opened. Keys that are added in the meantime therefore count as a
        // new version.
        let generation = keyring.generation
        if let previous,
            try await version(generation, pool.query(Self.versionSQL, timeout: timeout)) == previous.version
        {
            return nil
        }
        // The transaction is a snapshot, so that an app and the credential that it names are of the same moment.
        let results = try await pool.transaction(.snapshot) { connection in
            try await connection.batch(
                [
                    PostgresStatement(Self.versionSQL),
                    PostgresStatement(AppRepository.select()),
                    PostgresStatement(
                        "SELECT \(CredentialRow.columns) FROM martlet.credentials WHERE state <> 'retired'"),
                ], timeout: timeout)
        }
        let credentials = try results[2].map { row in
            let row = try CredentialRow(row)
            return SnapshotCredential(
                row, keyring: keyring, previous: previous?.snapshot.credential(row.summary.id))
        }
        var unreadable: Set<RowError> = []
        let apps = try results[1].map { row in
            let app = try AppRepository.app(row)
            guard let problem = app.unreadable else { return app }
            unreadable.insert(problem)
            guard let last = previous?.snapshot.app(app.bundleID), last.unreadable == nil else { return app }
            return last
        }
        return Loaded(
            snapshot: Snapshot(apps: apps, credentials: credentials, unreadableApps: unreadable),
            version: try version(generation, results[0]))
    }

    /// Returns the combined version of the keyring and the tables.
    private func version(_ generation: Int, _ result: PostgresResult) throws -> String {
        try "\(generation) \(result[0]["version"].text)"
    }

    /// The query for a checksum of the tables. The checksum changes with every insert, update and delete, because a
    /// row's `xmin` is the transaction that wrote the row.
    private static let versionSQL = """
        SELECT md5(coalesce(string_agg(line, ' ' ORDER BY line), '')) AS version FROM (
            SELECT 'a' || ctid::text || xmin::text AS line FROM martlet.apps
            UNION ALL SELECT 'o' || ctid::text || xmin::text FROM martlet.app_accounts
            UNION ALL SELECT 'c' || ctid::text || xmin::text FROM martlet.credentials) AS lines
        """
}
