import Crypto
import MigrationFiles

/// A numbered SQL file from the folder `migrations`, embedded in the binary.
package struct Migration: Sendable, Hashable {
    package let number: Int
    /// The file's name without number and `.sql`.
    package let name: String
    package let sql: String

    package init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }

    /// The SHA-256 of the file.
    var checksum: [UInt8] { Array(SHA256.hash(data: Array(sql.utf8))) }

    /// The file name of the migration, for example `0002_audit.sql`.
    package var fileName: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_\(name).sql"
    }

    /// All migrations of this program, in order.
    package static let all = MigrationFile.all.enumerated().map { index, file in
        let name = file.name.drop { $0 != "_" }.dropFirst().prefix { $0 != "." }
        return Migration(number: index + 1, name: String(name), sql: String(decoding: file.bytes, as: UTF8.self))
    }
}
