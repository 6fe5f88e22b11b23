import PushModel

/// The database row that a secret belongs to. Sealing binds the secret to the row, so that an attacker can neither move
/// the secret to another row nor change the row's names.
package struct SealedRow: Sendable, Hashable, CustomStringConvertible {
    package let table: String
    package let id: String
    package let kind: String
    /// The values of other columns that identify the secret. Changing one of them breaks the seal.
    package let names: [String]
    /// The output that may use the secret.
    package let output: String

    package init(
        table: String, id: String, kind: String, names: [String] = [], output: String = Job.defaultOutput
    ) {
        self.table = table
        self.id = id
        self.kind = kind
        self.names = names
        self.output = output
    }

    package var description: String { "\(table) row \(id)" }

    /// Returns the data that is authenticated together with the secret. The parts are separated by NUL, which
    /// PostgreSQL's text can't contain, so that they stay distinct.
    func associatedData(_ more: String...) -> [UInt8] {
        Array(([table, id, kind, output] + names + more).joined(separator: "\0").utf8)
    }
}
