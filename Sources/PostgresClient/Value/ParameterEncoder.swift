/// An encoder of a statement's parameters in the form that `PQsendQueryParams` expects. All values are in one buffer.
struct ParameterEncoder {
    private(set) var types: [UInt32] = []
    /// The format of each parameter: 0 for text, 1 for binary.
    private(set) var formats: [Int32] = []
    private(set) var lengths: [Int32] = []
    /// The offset of each value in `bytes`, or `nil` for NULL.
    private(set) var offsets: [Int?] = []
    private(set) var bytes: [UInt8] = []

    /// Encodes parameters.
    ///
    /// - Throws: ``PostgresError`` with code `unsendable` naming the parameter.
    init(_ parameters: [PostgresValue]) throws(PostgresError) {
        for (index, parameter) in parameters.enumerated() {
            let start = bytes.count
            let type: UInt32
            switch parameter {
            case .null:
                add(type: TypeOID.unspecified, format: 0, start: nil)
                continue
            case .text(let text):
                // libpq reads a text parameter up to the first NUL. The rest would be lost without an error.
                guard !text.utf8.contains(0) else { throw Self.unsendable(index, "contains a NUL character") }
                bytes.append(contentsOf: text.utf8)
                bytes.append(0)
                add(type: TypeOID.unspecified, format: 0, start: start)
                continue
            case .int(let value):
                type = TypeOID.int
                bytes.append(bigEndian: value)
            case .bigint(let value):
                type = TypeOID.bigint
                bytes.append(bigEndian: value)
            case .bool(let value):
                type = TypeOID.bool
                bytes.append(value ? 1 : 0)
            case .bytea(let value):
                type = TypeOID.bytea
                bytes.append(contentsOf: value)
            case .timestamp(let milliseconds):
                type = TypeOID.timestamptz
                bytes.append(bigEndian: try Self.timestamp(milliseconds, index))
            case .textArray(let values):
                type = TypeOID.textArray
                try appendArray(of: TypeOID.text, values) { (bytes, text) throws(PostgresError) in
                    guard !text.utf8.contains(0) else { throw Self.unsendable(index, "contains a NUL character") }
                    bytes.append(contentsOf: text.utf8)
                }
            case .bigintArray(let values):
                type = TypeOID.bigintArray
                try appendArray(of: TypeOID.bigint, values) { (bytes, value) throws(PostgresError) in
                    bytes.append(bigEndian: value)
                }
            case .byteaArray(let values):
                type = TypeOID.byteaArray
                try appendArray(of: TypeOID.bytea, values) { (bytes, value) throws(PostgresError) in
                    bytes.append(contentsOf: value)
                }
            case .timestampArray(let values):
                type = TypeOID.timestamptzArray
                try appendArray(of: TypeOID.timestamptz, values) { (bytes, value) throws(PostgresError) in
                    bytes.append(bigEndian: try Self.timestamp(value, index))
                }
            }
            add(type: type, format: 1, start: start)
        }
        // An empty value at the end needs an address, because libpq interprets a null pointer as NULL.
        bytes.append(0)
    }

    private mutating func add(type: UInt32, format: Int32, start: Int?) {
        types.append(type)
        formats.append(format)
        lengths.append(Int32(clamping: bytes.count - (start ?? bytes.count)))
        offsets.append(start)
    }

    /// Appends the binary form of a one-dimensional array (PostgreSQL source, `array_send`).
    private mutating func appendArray<Element>(
        of type: UInt32, _ elements: [Element?],
        _ append: (inout [UInt8], Element) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        bytes.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
        bytes.append(bigEndian: Int32(elements.contains { $0 == nil } ? 1 : 0))
        bytes.append(bigEndian: type)
        if elements.isEmpty { return }
        bytes.append(bigEndian: Int32(clamping: elements.count))
        bytes.append(bigEndian: Int32(1))
        for element in elements {
            guard let element else {
                bytes.append(bigEndian: Int32(-1))
                continue
            }
            let lengthAt = bytes.count
            bytes.append(bigEndian: Int32(0))
            try append(&bytes, element)
            let length = Int32(clamping: bytes.count - lengthAt - 4)
            withUnsafeBytes(of: length.bigEndian) { bytes.replaceSubrange(lengthAt..<lengthAt + 4, with: $0) }
        }
    }

    private static func timestamp(_ milliseconds: Int64, _ index: Int) throws(PostgresError) -> Int64 {
        guard let encoded = TimestampCoding.encode(milliseconds: milliseconds) else {
            throw unsendable(index, "is out of range for timestamptz: \(milliseconds) ms")
        }
        return encoded
    }

    private static func unsendable(_ index: Int, _ problem: String) -> PostgresError {
        PostgresError(.unsendable, "parameter $\(index + 1) \(problem)")
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
