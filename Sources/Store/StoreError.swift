import Routing

/// An error from the store, for example about a credential, an app, the keyring or a migration. The message names the
/// file, row or field at fault and never contains a secret.
package struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        package let description: String

        /// The keyring file is missing or malformed, or its permissions are too wide.
        package static let keyring = Code(description: "keyring")
        /// A secret was sealed under a master key that the keyring does not have.
        package static let missingMasterKey = Code(description: "missing master key")
        /// A sealed secret does not open, because its master key is wrong, its row was changed, or its format is
        /// unknown.
        package static let sealBroken = Code(description: "seal broken")
        /// A field of an app or credential is invalid.
        package static let invalidField = Code(description: "invalid field")
        /// A row has a column that can't be read. The row is treated like a row that can't be opened.
        package static let unreadable = Code(description: "unreadable row")
        /// The app, its account or the credential does not exist.
        package static let notFound = Code(description: "not found")
        /// The change conflicts with existing data.
        package static let conflict = Code(description: "conflict")
        /// Another session holds the lock.
        package static let locked = Code(description: "locked")
        /// Migrations are missing from the database.
        package static let migrationsMissing = Code(description: "migrations missing")
        /// The migrations of the database and of this program differ.
        package static let migrationsDiffer = Code(description: "migrations differ")
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

extension StoreError {
    /// Creates the error for a row that can't be read.
    init(_ problem: RowError) { self.init(.unreadable, problem.message) }
}

extension RowError {
    /// Returns the error for a row that can't be read.
    ///
    /// - Parameter problem: the underlying error, which names the column.
    static func unreadable(_ table: String, _ row: String, _ problem: any Error) -> RowError {
        RowError(isUnreadable: true, "\(table) row \(row) cannot be read: \(problem)")
    }

    init(_ error: StoreError) { self.init(isUnreadable: error.code == .unreadable, error.message) }
}
