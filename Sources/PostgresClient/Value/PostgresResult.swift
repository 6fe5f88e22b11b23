internal import CLibPQ

/// The result of one statement: its rows, the number of affected rows, and the command tag.
package struct PostgresResult: Sendable, RandomAccessCollection {
    let storage: ResultStorage

    package var startIndex: Int { 0 }
    package var endIndex: Int { storage.rowCount }
    package subscript(position: Int) -> PostgresRow { PostgresRow(storage: storage, index: position) }

    /// The number of rows that were inserted, updated, deleted or selected, or 0 for other statements.
    package var affectedRows: Int { Int(storage.affectedRows) ?? 0 }
    /// The server's command tag, such as `INSERT 0 1`.
    package var commandTag: String { storage.commandTag }
}
