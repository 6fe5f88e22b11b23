/// One of the SQL files beside this one, as it is in the binary.
package struct MigrationFile: Sendable {
    /// E.g. `0001_initial.sql`.
    package let name: String
    package let bytes: [UInt8]

    /// In order. A new file is added here and in Package.swift; a test compares them with the folder.
    package static let all = [
        MigrationFile(
            name: "0001_apps_credentials_device_tokens.sql",
            bytes: PackageResources._001_apps_credentials_device_tokens_sql),
        MigrationFile(name: "0002_refusals.sql", bytes: PackageResources._002_refusals_sql),
        MigrationFile(name: "0003_audit_grants.sql", bytes: PackageResources._003_audit_grants_sql),
        MigrationFile(name: "0004_dead_token_feed.sql", bytes: PackageResources._004_dead_token_feed_sql),
        MigrationFile(name: "0005_claims_cancellations.sql", bytes: PackageResources._005_claims_cancellations_sql),
        MigrationFile(name: "0006_claim_content.sql", bytes: PackageResources._006_claim_content_sql),
        MigrationFile(name: "0007_cancellations.sql", bytes: PackageResources._007_cancellations_sql),
        MigrationFile(name: "0008_token_times.sql", bytes: PackageResources._008_token_times_sql),
        MigrationFile(name: "0009_cancel_again.sql", bytes: PackageResources._009_cancel_again_sql),
        MigrationFile(name: "0010_outputs.sql", bytes: PackageResources._010_outputs_sql),
        MigrationFile(name: "0011_long_addresses.sql", bytes: PackageResources._011_long_addresses_sql),
        MigrationFile(name: "0012_workers.sql", bytes: PackageResources._012_workers_sql),
        MigrationFile(name: "0013_worker_reports.sql", bytes: PackageResources._013_worker_reports_sql),
        MigrationFile(name: "0014_ledger.sql", bytes: PackageResources._014_ledger_sql),
        MigrationFile(name: "0015_pacing.sql", bytes: PackageResources._015_pacing_sql),
        MigrationFile(name: "0016_paused_apps.sql", bytes: PackageResources._016_paused_apps_sql),
    ]
}
