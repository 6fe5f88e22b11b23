package import PostgresClient
package import PushModel

/// A comparison of this machine's clock with the database's clock.
package enum DatabaseClock {
    /// The longest round trip that gives a usable reading. The error of a reading is up to half of the round trip.
    private static let longest = Duration.seconds(1)

    /// Returns the number of milliseconds by which this machine's clock is ahead of the database's. The number is
    /// negative if the clock is behind, and `nil` if the query took too long for a reading.
    ///
    /// - Throws: ``PostgresError``.
    package static func ahead(_ pool: PostgresPool) async throws -> Int? {
        // The query starts on an established connection, so that the measured round trip does not include connecting.
        try await pool.withConnection { connection in
            let (start, before) = (ContinuousClock.now, Timestamp.now)
            let database = try await connection.query("SELECT clock_timestamp() AS now")[0]["now"].milliseconds
            return ahead(from: before, to: .now, took: .now - start, database: database)
        }
    }

    /// Returns the number of milliseconds by which this machine's clock is ahead of the database's, or `nil` if the
    /// query took too long for a reading.
    ///
    /// - Parameter took: the duration of the query, measured with a monotonic clock.
    package static func ahead(from before: Timestamp, to after: Timestamp, took: Duration, database: Int64) -> Int? {
        took > longest ? nil : Int((before.milliseconds + after.milliseconds) / 2 - database)
    }
}
