/// A migration in this folder, as embedded in the program.
package struct MigrationFile: Sendable {
    /// The file name, for example `0002_audit.sql`.
    package let name: String
    package let bytes: [UInt8]

    /// All migrations, in order. A new file must be added here and in Package.swift. A test compares the list with the
    /// folder.
    package static let all = [
        MigrationFile(name: "0001_apps_and_credentials.sql", bytes: PackageResources._001_apps_and_credentials_sql),
        MigrationFile(name: "0002_audit.sql", bytes: PackageResources._002_audit_sql),
        MigrationFile(name: "0003_device_tokens.sql", bytes: PackageResources._003_device_tokens_sql),
        MigrationFile(name: "0004_jobs.sql", bytes: PackageResources._004_jobs_sql),
        MigrationFile(name: "0005_workers_and_ledger.sql", bytes: PackageResources._005_workers_and_ledger_sql),
        MigrationFile(name: "0006_roles.sql", bytes: PackageResources._006_roles_sql),
    ]
}
