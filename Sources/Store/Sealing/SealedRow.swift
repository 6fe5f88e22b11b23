public import PushModel

/// The row a secret belongs to; sealing binds the secret to it, so that neither rows nor names can be swapped.
public struct SealedRow: Sendable, Hashable, CustomStringConvertible {
    public let table: String
    public let id: String
    public let kind: String
    /// Values of other columns that say what the secret is; who changes one of them breaks the seal.
    public let names: [String]
    /// Which output may use it.
    public let output: String

    public init(
        table: String, id: String, kind: String, names: [String] = [], output: String = Job.defaultOutput
    ) {
        self.table = table
        self.id = id
        self.kind = kind
        self.names = names
        self.output = output
    }

    public var description: String { "\(table) row \(id)" }

    /// Format 1 knew no names. The output that there was alone at first is not named in any: what another output's row
    /// holds opens only if it was sealed for that output. No part may contain a NUL, which PostgreSQL's text can't: the
    /// parts can't run into each other.
    func associatedData(format: SealFormat, _ more: String...) -> [UInt8] {
        let names = (format == .masterKeyOnly ? [] : names) + (output == Job.defaultOutput ? [] : [output])
        return Array(([table, id, kind] + names + more).joined(separator: "\0").utf8)
    }
}
