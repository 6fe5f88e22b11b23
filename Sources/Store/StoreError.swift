/// An error of the credential store. The message names the file, row or field at fault and never contains a secret.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// The keyring file is missing, readable by others, or malformed.
        public static let keyring = Code(description: "keyring")
        /// A secret was sealed under a master key that the keyring does not have.
        public static let missingMasterKey = Code(description: "missing master key")
        /// A sealed secret does not open, because its master key is wrong or its row was changed.
        public static let sealBroken = Code(description: "seal broken")
        /// A field of an app or credential is invalid.
        public static let invalidField = Code(description: "invalid field")
        /// A row has a column that can't be read. The row is treated like a row that can't be opened.
        public static let unreadable = Code(description: "unreadable row")
        /// The app or credential does not exist.
        public static let notFound = Code(description: "not found")
        /// The change conflicts with existing data.
        public static let conflict = Code(description: "conflict")
        /// Another session holds the lock.
        public static let locked = Code(description: "locked")
        /// Migrations are missing from the database.
        public static let migrationsMissing = Code(description: "migrations missing")
        /// The migrations of the database and of this program differ.
        public static let migrationsDiffer = Code(description: "migrations differ")
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

extension StoreError {
    /// Returns the error for a row that can't be read.
    ///
    /// - Parameter problem: the underlying error, which names the column.
    static func unreadable(_ table: String, _ row: String, _ problem: any Error) -> StoreError {
        StoreError(.unreadable, "\(table) row \(row) cannot be read: \(problem)")
    }
}
