internal import CLibPQ

/// The answer to one statement: its rows, and how many rows it touched.
public struct PostgresResult: Sendable, RandomAccessCollection {
    let storage: ResultStorage

    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.rowCount }
    public subscript(position: Int) -> PostgresRow { PostgresRow(storage: storage, index: position) }

    /// Rows inserted, updated, deleted or selected; 0 for statements that do none of it.
    public var affectedRows: Int { Int(storage.affectedRows) ?? 0 }
    /// The server's command tag, e.g. `INSERT 0 1`.
    public var commandTag: String { storage.commandTag }
}
