public import PostgresClient
import PushModel

/// Seals anew, under the keyring's current master key, whatever is sealed under another one, while workers run and
/// credentials are imported: each row is replaced only if it still is as it was read.
///
/// When it is interrupted, rows that were done stay done, and the next run goes on from there. Every secret is
/// opened, so that rows that can't be are found before an old master key is thrown away.
public struct Rekeying: Sendable {
    public struct Report: Sendable {
        /// Rows that were sealed anew, or would be.
        public fileprivate(set) var resealed = 0
        /// All rows there are.
        public fileprivate(set) var rows = 0
        /// Why rows could not be opened.
        public fileprivate(set) var problems: [StoreError] = []
        /// How many rows are sealed under which master key, afterwards.
        public fileprivate(set) var rowsByMasterKey: [String: Int] = [:]
    }

    private let pool: PostgresPool
    private let keyring: MasterKeyring
    private let isDryRun: Bool

    /// - Parameter isDryRun: only opens everything and counts.
    public init(_ pool: PostgresPool, keyring: MasterKeyring, isDryRun: Bool = false) {
        self.pool = pool
        self.keyring = keyring
        self.isDryRun = isDryRun
    }

    /// - Parameter progress: told now and then how many rows were looked at.
    /// - Throws: ``PostgresError``.
    public func run(progress: (Int) -> Void = { _ in }) async throws -> Report {
        if !isDryRun { try await removeOldTokens() }
        var report = Report()
        var seen = 0
        // Rows that somebody else has changed meanwhile, and those that came in under another key, are met again.
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

    /// Deletes tokens that every provider refuses because of their age. A locked token is being replaced.
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

    /// One transaction.
    /// - Returns: how many rows were replaced.
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
