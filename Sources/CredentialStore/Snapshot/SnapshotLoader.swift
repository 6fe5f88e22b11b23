import PostgresClient
import PushModel

/// Reads apps and credentials as they are at one moment.
struct SnapshotLoader: Sendable {
    struct Loaded: Sendable {
        let snapshot: Snapshot
        let version: String
    }

    let pool: PostgresPool
    let keyring: MasterKeyring

    /// - Parameter previous: what was loaded last, which knows secrets that may not be opened again yet.
    /// - Returns: nil if nothing was changed since then.
    func load(after previous: Loaded?) async throws -> Loaded? {
        // before the rows are opened: keys that come meanwhile are another version
        let generation = keyring.generation
        if let previous, try await version(generation, pool.query(Self.versionSQL)) == previous.version { return nil }
        // repeatable read: an app and the credential it names come from the same moment
        let results = try await pool.batch([
            PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
            PostgresStatement(Self.versionSQL),
            PostgresStatement("SELECT \(AppRepository.columns) FROM martlet.apps"),
            PostgresStatement("SELECT \(CredentialRow.columns) FROM martlet.credentials WHERE state <> 'retired'"),
            PostgresStatement("SELECT job FROM martlet.cancelled_jobs"),
            PostgresStatement("COMMIT"),
        ])
        let credentials = try results[3].map { row in
            let row = try CredentialRow(row)
            return SnapshotCredential(
                row, keyring: keyring, previous: previous?.snapshot.credential(row.summary.id))
        }
        return Loaded(
            snapshot: Snapshot(
                apps: try results[2].map(AppRepository.app), credentials: credentials,
                cancelledJobs: Set(try results[4].map { try $0["job"].text })),
            version: try version(generation, results[1]))
    }

    /// Of the keyring and of the tables.
    private func version(_ generation: Int, _ result: PostgresResult) throws -> String {
        try "\(generation) \(result[0]["version"].text)"
    }

    /// Changes with every insert, update and delete: a row's xmin is the transaction that wrote it.
    private static let versionSQL = """
        SELECT md5(coalesce(string_agg(line, ' ' ORDER BY line), '')) AS version FROM (
            SELECT 'a' || ctid::text || xmin::text AS line FROM martlet.apps
            UNION ALL SELECT 'j' || ctid::text || xmin::text FROM martlet.cancelled_jobs
            UNION ALL SELECT 'c' || ctid::text || xmin::text FROM martlet.credentials) AS lines
        """
}
