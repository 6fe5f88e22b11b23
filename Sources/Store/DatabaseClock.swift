public import PostgresClient
package import PushModel

/// The database's clock beside this machine's.
public enum DatabaseClock {
    /// An answer that took longer says nothing of a clock: the error is up to half of it.
    private static let longest = Duration.seconds(1)

    /// By how many milliseconds this machine's clock is ahead; negative: behind; nil: the answer took too long to tell.
    /// - Throws: ``PostgresError``.
    public static func ahead(_ pool: PostgresPool) async throws -> Int? {
        // Connecting takes time of its own.
        try await pool.withConnection { connection in
            let (start, before) = (ContinuousClock.now, Timestamp.now)
            let database = try await connection.query("SELECT clock_timestamp() AS now")[0]["now"].milliseconds
            return ahead(from: before, to: .now, took: .now - start, database: database)
        }
    }

    /// - Parameter took: by a clock that nobody sets.
    package static func ahead(from before: Timestamp, to after: Timestamp, took: Duration, database: Int64) -> Int? {
        took > longest ? nil : Int((before.milliseconds + after.milliseconds) / 2 - database)
    }
}
