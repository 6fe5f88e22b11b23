import Logging
package import MartletService
package import PostgresClient
import Store

/// Runs a command with the database, after checking that the schema matches this program.
package func withDatabase<Value>(
    _ options: ConfigurationOptions, for command: String,
    _ body: (ConfigurationSource, PostgresPool) async throws -> Value
) async throws -> Value {
    let source = try await options.load()
    return try await withDatabase(source, for: command) { try await body(source, $0) }
}

/// Runs a command with the database, for a configuration that is already loaded.
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
    /// A clause for the operator that explains why the database returned nothing.
    var absence: String {
        switch code {
        case .connectFailed, .connectionLost, .timedOut, .poolExhausted:
            "the database \(sqlState == nil ? "does not answer" : "refuses connections"): \(self)"
        default: "the database refuses: \(self)"
        }
    }
}
