import CredentialStore
import Logging
import MartletService
import PostgresClient
import PushModel

/// A pool for one command, and the check that the schema is the one this program was built for.
func openDatabase(_ source: ConfigurationSource, for command: String) async throws -> PostgresPool {
    let database = try source.database(applicationName: "martlet \(command)")
    let logger = try source.logger("martlet.\(command)", atLeast: .error)
    try await Migrations(database, logger: logger).verify()
    return PostgresPool(database, logger: logger)
}
