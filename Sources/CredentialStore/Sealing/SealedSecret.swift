/// A secret as it is stored: useless without the master key of that id, and in any other row.
public struct SealedSecret: Sendable, Hashable {
    /// A format byte, then nonce, ciphertext and tag.
    public let bytes: [UInt8]
    public let masterKeyID: String

    public init(bytes: [UInt8], masterKeyID: String) {
        self.bytes = bytes
        self.masterKeyID = masterKeyID
    }
}

/// The row a secret belongs to; sealing binds the secret to it, so that rows can't be swapped.
public struct SealedRow: Sendable, Hashable, CustomStringConvertible {
    public let table: String
    public let id: String
    public let kind: String

    public init(table: String, id: String, kind: String) {
        self.table = table
        self.id = id
        self.kind = kind
    }

    public var description: String { "\(table) row \(id)" }

    /// No field may contain a NUL: the parts can't run into each other.
    var associatedData: [UInt8] { Array("\(table)\0\(id)\0\(kind)".utf8) }
}
