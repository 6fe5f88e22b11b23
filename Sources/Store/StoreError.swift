/// Why something of the credential store can't be used; the message names the file, row or field at fault
/// and never shows a secret.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// The keyring file is missing, readable by others, or malformed.
        public static let keyring = Code(description: "keyring")
        /// A secret was sealed under a master key that the keyring does not have.
        public static let missingMasterKey = Code(description: "missing master key")
        /// A sealed secret does not open: wrong master key, or the row was changed.
        public static let sealBroken = Code(description: "seal broken")
        /// A field of an app or credential is not acceptable.
        public static let invalidField = Code(description: "invalid field")
        /// A row has a column that can't be read; the row is as one that can't be opened.
        public static let unreadable = Code(description: "unreadable row")
        /// No such app or credential.
        public static let notFound = Code(description: "not found")
        /// The change contradicts what is there.
        public static let conflict = Code(description: "conflict")
        /// Somebody else holds a lock.
        public static let locked = Code(description: "locked")
        /// The database lacks migrations.
        public static let migrationsMissing = Code(description: "migrations missing")
        /// The database and this program disagree about migrations.
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
    /// - Parameter problem: which names the column.
    static func unreadable(_ table: String, _ row: String, _ problem: any Error) -> StoreError {
        StoreError(.unreadable, "\(table) row \(row) can't be read: \(problem)")
    }
}
