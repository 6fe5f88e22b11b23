import DeliveryPipeline
package import PostgresClient
import PushModel
package import Store

/// The keys of the database, the keyring and the suppression of dead tokens.
extension ConfigurationKey {
    package static let databaseURL = ConfigurationKey(
        "database.url",
        example: "postgres://martlet:secret@db.example.net:5432/martlet"
            + "?sslmode=verify-full&sslrootcert=/etc/martlet/postgres-ca.pem",
        isRequired: true, isSecret: true,
        "[URL](#options-of-databaseurl) of PostgreSQL: `postgres://user:password@host:port/database`")
    package static let databaseListen = ConfigurationKey(
        "database.listen", .boolean, default: "true",
        "whether workers receive changes by NOTIFY, or poll every two or three seconds, as "
            + "[PgBouncer in transaction mode](database.md#pgbouncer) requires")
    package static let keyringFile = ConfigurationKey(
        "keyring.file", example: "/etc/martlet/keyring", isRequired: true,
        "file with the [master keys](credentials.md#master-keys), unless `keyring.keys` is set: lines of key id and "
            + "32 bytes in base64, current key first")
    package static let keyringKeys = ConfigurationKey(
        "keyring.keys", example: "2026-11 kq6Yq0Z0…, 2025-10 9pQk2m1v…", isSecret: true,
        "[master keys](credentials.md#master-keys), as in `keyring.file`, separated by commas or line ends")
    static let suppressionEnabled = ConfigurationKey(
        "suppression.enabled", .boolean, default: "true",
        "whether workers skip tokens that are [marked dead](tokens.md#suppression), or send to them too")
    static let suppressionMemory = ConfigurationKey(
        "suppression.memory", .integer(1...65_536), default: "64", unit: .megabytes, isAdvanced: true,
        "memory for recognizing dead tokens without a query")

    static let store = [databaseURL, databaseListen, keyringFile, keyringKeys, suppressionEnabled, suppressionMemory]
}

extension ConfigurationSource {
    package func database(applicationName: String) throws -> PostgresConfiguration {
        do {
            var database = try PostgresConfiguration(
                url: try required(.databaseURL), applicationName: applicationName)
            secretFiles[.databaseURL].map { database.readAgain(from: $0, applicationName) }
            return database
        } catch let error as PostgresError {
            throw ConfigurationError(.databaseURL, error.message)
        }
    }

    /// Returns the keyring. A keyring file is read again when it changes, but keys in the configuration are not.
    package func keyring() throws -> MasterKeyring {
        if let keys = string(.keyringKeys), !keys.isEmpty {
            guard (string(.keyringFile) ?? "").isEmpty else {
                throw ConfigurationError(.keyringKeys, "and keyring.file are both set; set only one of them")
            }
            do {
                return try MasterKeyring(text: keys.replacing(",", with: "\n"), source: "in the configuration")
            } catch {
                throw ConfigurationError(.keyringKeys, error.message)
            }
        }
        do {
            return try MasterKeyring(file: try required(.keyringFile))
        } catch let error as StoreError {
            throw ConfigurationError(.keyringFile, error.message)
        }
    }

    /// Returns the configuration of the feed of dead tokens, or `nil` if pushes to dead tokens are not suppressed.
    package func deadTokens() throws -> DeadTokenFeed.Configuration? {
        var feed = DeadTokenFeed.Configuration()
        feed.maximumBytes = try integer(.suppressionMemory) << 20
        return try boolean(.suppressionEnabled) ? feed : nil
    }
}
