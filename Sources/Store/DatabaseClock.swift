public import PostgresClient
import PushModel

/// The database's clock beside this machine's.
public enum DatabaseClock {
    /// By how many milliseconds this machine's clock is ahead; negative: behind.
    /// - Throws: ``PostgresError``.
    public static func ahead(_ pool: PostgresPool) async throws -> Int {
        // Connecting takes time of its own.
        try await pool.withConnection { connection in
            let before = Timestamp.now
            let database = try await connection.query("SELECT clock_timestamp() AS now")[0]["now"].milliseconds
            return Int((before.milliseconds + Timestamp.now.milliseconds) / 2 - database)
        }
    }
}
