internal import CLibPQ

package struct PostgresRow: Sendable {
    let storage: ResultStorage
    let index: Int

    /// Returns the value of a column.
    ///
    /// - Throws: ``PostgresError`` with code `unexpectedResult` if the result has no such column.
    package subscript(column: String) -> PostgresCell {
        get throws(PostgresError) {
            guard let columnIndex = storage.columns[column] else {
                throw PostgresError(.unexpectedResult, "the result has no column \(column)")
            }
            return PostgresCell(storage: storage, row: index, column: columnIndex, name: column)
        }
    }
}
