package import PostgresClient
import PushModel

/// A run that reseals every secret that is not sealed under the current master key in the current format. A row is
/// replaced only if it has not changed since it was read. Therefore workers may run and credentials may be imported
/// during the run.
///
/// After an interruption, resealed rows stay resealed, and the next run reseals the remaining rows. A run opens every
/// secret, so that broken rows are found before an old master key is deleted.
package struct Rekeying: Sendable {
    package struct Report: Sendable {
        /// The number of rows that were resealed, or that a dry run would reseal.
        package fileprivate(set) var resealed = 0
        /// The number of rows that the last pass tried to open.
        package fileprivate(set) var rows = 0
        /// The errors of rows that could not be opened.
        package fileprivate(set) var problems: [StoreError] = []
        /// The number of rows per master key after the run.
        package fileprivate(set) var rowsByMasterKey: [String: Int] = [:]
    }

    private let pool: PostgresPool
    private let keyring: MasterKeyring
    private let isDryRun: Bool

    /// Creates a run.
    /// - Parameter isDryRun: whether to only open and count the rows.
    package init(_ pool: PostgresPool, keyring: MasterKeyring, isDryRun: Bool = false) {
        self.pool = pool
        self.keyring = keyring
        self.isDryRun = isDryRun
    }

    /// Reseals the secrets of all tables.
    ///
    /// - Parameter progress: receives the number of rows processed so far, after each page of rows.
    /// - Throws: ``PostgresError``.
    package func run(progress: (Int) -> Void = { _ in }) async throws -> Report {
        if !isDryRun { try await removeOldTokens() }
        var report = Report()
        var seen = 0
        // A further pass handles rows that were changed, or were added under another key, during the previous pass.
        for _ in 0..<Self.maximumPasses {
            report.problems = []
            report.rows = 0
            var resealed = 0
            for table in SealedTable.all {
                var last = SealedTable.beforeTheFirst
                while true {
                    let rows = try await page(of: table, after: last)
                    guard let end = rows.last else { break }
                    last = end.id
                    resealed += try await reseal(rows, of: table, &report)
                    report.rows += rows.count
                    seen += rows.count
                    progress(seen)
                }
            }
            report.resealed += resealed
            if resealed == 0 || isDryRun { break }
        }
        report.rowsByMasterKey = try await rowsByMasterKey()
        return report
    }

    private static let maximumPasses = 5
    private static let pageSize = 100

    /// Deletes provider tokens that every provider rejects because of their age. Locked tokens are skipped, because a
    /// worker is replacing them.
    private func removeOldTokens() async throws {
        try await pool.query(
            """
            DELETE FROM martlet.provider_tokens WHERE credential IN (
                SELECT credential FROM martlet.provider_tokens WHERE issued_at < now() - interval '2 hours'
                FOR UPDATE SKIP LOCKED)
            """)
    }

    private func page(of table: SealedTable, after id: String) async throws -> [SealedTable.Row] {
        try await pool.query(
            "SELECT * FROM (\(table.rows)) AS rows WHERE id > $1::uuid ORDER BY id LIMIT \(Self.pageSize)", [.text(id)]
        ).map(SealedTable.Row.init)
    }

    /// Reseals the secrets of some rows in one transaction.
    ///
    /// - Returns: the number of replaced rows, or of rows to replace in a dry run.
    private func reseal(
        _ rows: [SealedTable.Row], of table: SealedTable, _ report: inout Report
    ) async throws -> Int {
        var updates: [PostgresStatement] = []
        for row in rows {
            do {
                let secret = try keyring.open(row.sealed, for: row.sealedRow)
                guard !keyring.isCurrent(row.sealed) else { continue }
                let new = try keyring.seal(secret, for: row.sealedRow)
                updates.append(
                    PostgresStatement(
                        table.replace,
                        [.text(row.id), .bytea(row.sealed.bytes), .bytea(new.bytes), .text(new.masterKeyID)]))
            } catch let error as StoreError {
                report.problems.append(error)
            }
        }
        if isDryRun { return updates.count }
        return try await pool.batch(updates).reduce(0) { $0 + $1.affectedRows }
    }

    private func rowsByMasterKey() async throws -> [String: Int] {
        let union = SealedTable.all.map { "SELECT master_key_id FROM (\($0.rows)) AS rows" }
            .joined(separator: " UNION ALL ")
        let counts = try await pool.query(
            "SELECT master_key_id, count(*) AS rows FROM (\(union)) AS keys GROUP BY master_key_id")
        return Dictionary(
            try counts.map { (try $0["master_key_id"].text, try $0["rows"].integer) }, uniquingKeysWith: +)
    }
}
