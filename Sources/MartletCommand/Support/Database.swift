import Logging
package import MartletConfiguration
package import PostgresClient
import Store

/// Loads the configuration, checks that the database's schema matches this program, and runs `body` with the database.
package func withDatabase<Value>(
    _ options: ConfigurationOptions, for command: String,
    _ body: (ConfigurationSource, PostgresPool) async throws -> Value
) async throws -> Value {
    let source = try await options.load()
    return try await withDatabase(source, for: command) { try await body(source, $0) }
}

/// Checks that the database's schema matches this program and runs `body` with the database.
func withDatabase<Value>(
    _ source: ConfigurationSource, for command: String, _ body: (PostgresPool) async throws -> Value
) async throws -> Value {
    let database = try source.database(applicationName: "martlet \(command)")
    let logger = try source.logger("martlet.\(command)", atLeast: .error)
    try await Migrations(database, logger: logger).verify()
    let pool = PostgresPool(database, logger: logger)
    defer { pool.close() }
    return try await body(pool)
}

extension PostgresError {
    /// The reason why nothing could be read from the database, as a clause for operators.
    var absence: String {
        switch code {
        case .connectFailed, .connectionLost, .timedOut, .poolExhausted:
            "the database \(sqlState == nil ? "does not answer" : "refuses connections"): \(self)"
        default: "the database reports an error: \(self)"
        }
    }
}
