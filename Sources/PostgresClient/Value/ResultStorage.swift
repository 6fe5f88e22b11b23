internal import CLibPQ

/// The owner of a `PGresult`.
// why: unchecked, because a result is read-only after its creation, so any thread may read it (libpq manual, "Behavior
// in Threaded Programs").
final class ResultStorage: @unchecked Sendable {
    let result: OpaquePointer
    let columns: [String: Int32]
    let rowCount: Int

    init(taking result: OpaquePointer) {
        self.result = result
        rowCount = Int(PQntuples(result))
        var columns: [String: Int32] = [:]
        for column in 0..<PQnfields(result) {
            if let name = PQfname(result, column) { columns[String(cString: name)] = column }
        }
        self.columns = columns
    }

    deinit { PQclear(result) }

    var affectedRows: String { PQcmdTuples(result).map { String(cString: $0) } ?? "" }
    var commandTag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    func type(column: Int32) -> UInt32 { PQftype(result, column) }
    func isBinary(column: Int32) -> Bool { PQfformat(result, column) == 1 }

    /// Calls a function with the bytes of a value. Returns `nil` if the value is NULL.
    func withBytes<R>(row: Int, column: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        guard PQgetisnull(result, Int32(row), column) == 0, let value = PQgetvalue(result, Int32(row), column)
        else { return nil }
        return body(UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, Int32(row), column))))
    }
}
