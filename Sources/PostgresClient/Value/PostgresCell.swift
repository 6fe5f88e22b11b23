/// A value of a row. Each getter throws ``PostgresError`` with code `unexpectedResult` naming the column, if the value
/// is NULL or of another type.
package struct PostgresCell: Sendable {
    let storage: ResultStorage
    let row: Int
    let column: Int32
    package let name: String

    /// The cell itself, or `nil` if its value is NULL, as in `try row["reason"].optional?.text`.
    package var optional: PostgresCell? {
        storage.withBytes(row: row, column: column) { _ in self }
    }

    package var text: String {
        get throws(PostgresError) { try withTextBytes { String(decoding: $0, as: UTF8.self) } }
    }

    /// Calls a function with the bytes of a text value and returns its result. This avoids the cost of a `String` for
    /// each value.
    package func withTextBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) throws(PostgresError) -> Value {
        try read("text", [TypeOID.text, TypeOID.varchar, TypeOID.name, TypeOID.unspecified]) { body($0) }
    }

    /// The value of a `uuid`, in lower case.
    package var uuid: String {
        get throws(PostgresError) {
            try read("uuid", [TypeOID.uuid]) { bytes in
                guard bytes.count == 16 else { return nil }
                let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { hex[$0].joined() }.joined(separator: "-")
            }
        }
    }

    /// The value of a `smallint`, `integer` or `bigint`.
    package var integer: Int {
        get throws(PostgresError) {
            try read("an integer", [TypeOID.smallint, TypeOID.int, TypeOID.bigint]) { bytes in
                switch bytes.count {
                case 2: Int(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
                case 4: Int(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
                case 8: Int(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
                default: nil
                }
            }
        }
    }

    package var bool: Bool {
        get throws(PostgresError) {
            try read("boolean", [TypeOID.bool]) { $0.first.map { $0 != 0 } }
        }
    }

    /// The value of a `bytea`.
    package var bytes: [UInt8] {
        get throws(PostgresError) {
            try read("bytea", [TypeOID.bytea]) { Array($0) }
        }
    }

    /// The value of a `timestamptz`, in milliseconds since 1970.
    package var milliseconds: Int64 {
        get throws(PostgresError) {
            try read("a finite timestamptz", [TypeOID.timestamptz]) { bytes in
                guard bytes.count == 8 else { return nil }
                return TimestampCoding.milliseconds(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
            }
        }
    }

    /// The elements of a `text[]` without NULLs.
    package var textArray: [String] {
        get throws(PostgresError) {
            try read("text[] without NULL", [TypeOID.textArray]) { bytes in
                arrayElements(bytes)?.map { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    /// The elements of a `bytea[]` without NULLs.
    package var byteaArray: [[UInt8]] {
        get throws(PostgresError) {
            try read("bytea[] without NULL", [TypeOID.byteaArray]) { arrayElements($0)?.map { Array($0) } }
        }
    }

    private func read<Value>(
        _ wanted: String, _ types: [UInt32], _ decode: (UnsafeRawBufferPointer) -> Value?
    ) throws(PostgresError) -> Value {
        let type = storage.type(column: column)
        guard types.contains(type), storage.isBinary(column: column) else {
            throw PostgresError(.unexpectedResult, "column \(name) is \(TypeOID.describe(type)), not \(wanted)")
        }
        guard let decoded = storage.withBytes(row: row, column: column, decode) else {
            throw PostgresError(.unexpectedResult, "column \(name) is NULL, not \(wanted)")
        }
        guard let decoded else {
            throw PostgresError(.unexpectedResult, "column \(name) is not \(wanted)")
        }
        return decoded
    }
}

/// Returns the elements of a one-dimensional binary array (PostgreSQL source, `array_recv`), or `nil` if the array has
/// another shape or contains NULL.
private func arrayElements(_ bytes: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>]? {
    func int(at offset: Int) -> Int? {
        guard offset >= 0, offset + 4 <= bytes.count else { return nil }
        return Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
    }
    let headerLength = 12
    guard let dimensions = int(at: 0) else { return nil }
    if dimensions == 0 { return [] }
    guard dimensions == 1, let count = int(at: headerLength), count >= 0 else { return nil }
    var elements: [Slice<UnsafeRawBufferPointer>] = []
    var offset = headerLength + 8
    for _ in 0..<count {
        guard let length = int(at: offset), length >= 0, offset + 4 + length <= bytes.count else { return nil }
        elements.append(bytes[offset + 4..<offset + 4 + length])
        offset += 4 + length
    }
    return elements
}
