import Crypto

/// One numbered SQL file of the Migrations folder, as it is in the binary.
public struct Migration: Sendable, Hashable {
    public let number: Int
    /// The file's name without number and `.sql`.
    public let name: String
    package let sql: String

    package init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }

    /// SHA-256 of the file.
    var checksum: [UInt8] { Array(SHA256.hash(data: Array(sql.utf8))) }

    /// E.g. `0001_initial.sql`.
    package var fileName: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_\(name).sql"
    }

    /// All there are, in order. A new file in the folder is added here; a test compares the two.
    package static let all = [
        Migration(
            number: 1, name: "apps_credentials_device_tokens",
            sql: String(decoding: PackageResources._001_apps_credentials_device_tokens_sql, as: UTF8.self)),
        Migration(
            number: 2, name: "refusals", sql: String(decoding: PackageResources._002_refusals_sql, as: UTF8.self)),
        Migration(
            number: 3, name: "audit_grants",
            sql: String(decoding: PackageResources._003_audit_grants_sql, as: UTF8.self)),
        Migration(
            number: 4, name: "dead_token_feed",
            sql: String(decoding: PackageResources._004_dead_token_feed_sql, as: UTF8.self)),
        Migration(
            number: 5, name: "claims_cancellations",
            sql: String(decoding: PackageResources._005_claims_cancellations_sql, as: UTF8.self)),
        Migration(
            number: 6, name: "claim_content",
            sql: String(decoding: PackageResources._006_claim_content_sql, as: UTF8.self)),
        Migration(
            number: 7, name: "cancellations",
            sql: String(decoding: PackageResources._007_cancellations_sql, as: UTF8.self)),
        Migration(
            number: 8, name: "token_times",
            sql: String(decoding: PackageResources._008_token_times_sql, as: UTF8.self)),
        Migration(
            number: 9, name: "cancel_again",
            sql: String(decoding: PackageResources._009_cancel_again_sql, as: UTF8.self)),
    ]
}
