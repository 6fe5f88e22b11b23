internal import CRabbitMQ

extension amqp_bytes_t {
    var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : len) }

    /// Invalid UTF-8 is repaired: for names and texts that AMQP defines as UTF-8.
    var string: String { String(decoding: buffer, as: UTF8.self) }

    /// The same of a short string, which stays one: a repaired byte takes three, and what is longer than 255 bytes could
    /// never be published again.
    var shortString: String { string.cut(toBytes: 255) }
}

extension AMQPFieldTable {
    /// A frame has room for some 26,000 tables or arrays, each within another: to walk down so far takes more stack than
    /// a thread has. Nothing of use is nested deeper than this; what is becomes ``AMQPFieldValue/void``.
    package static let maximumDepth = 32

    init(_ table: amqp_table_t, depth: Int = 1) {
        let entries = UnsafeBufferPointer(start: table.entries, count: Int(table.num_entries))
        self.init(
            entries: entries.map { Entry(key: $0.key.shortString, value: AMQPFieldValue($0.value, depth: depth)) })
    }
}

extension AMQPFieldValue {
    /// A kind this client does not know becomes ``void``; the library refuses those before they come here.
    /// - Parameter depth: of the table or array it is in.
    fileprivate init(_ field: amqp_field_value_t, depth: Int) {
        let value = field.value
        switch amqp_field_value_kind_t(rawValue: UInt32(field.kind)) {
        case AMQP_FIELD_KIND_BOOLEAN: self = .boolean(value.boolean != 0)
        case AMQP_FIELD_KIND_I8: self = .int8(value.i8)
        case AMQP_FIELD_KIND_U8: self = .uint8(value.u8)
        case AMQP_FIELD_KIND_I16: self = .int16(value.i16)
        case AMQP_FIELD_KIND_U16: self = .uint16(value.u16)
        case AMQP_FIELD_KIND_I32: self = .int32(value.i32)
        case AMQP_FIELD_KIND_U32: self = .uint32(value.u32)
        case AMQP_FIELD_KIND_I64: self = .int64(value.i64)
        case AMQP_FIELD_KIND_U64: self = .uint64(value.u64)
        case AMQP_FIELD_KIND_F32: self = .float(value.f32)
        case AMQP_FIELD_KIND_F64: self = .double(value.f64)
        case AMQP_FIELD_KIND_DECIMAL: self = .decimal(scale: value.decimal.decimals, value: value.decimal.value)
        case AMQP_FIELD_KIND_UTF8: self = Self(text: value.bytes.buffer)
        case AMQP_FIELD_KIND_BYTES: self = .bytes(Array(value.bytes.buffer))
        case AMQP_FIELD_KIND_ARRAY where depth < AMQPFieldTable.maximumDepth:
            let values = UnsafeBufferPointer(start: value.array.entries, count: Int(value.array.num_entries))
            self = .array(values.map { AMQPFieldValue($0, depth: depth + 1) })
        case AMQP_FIELD_KIND_TIMESTAMP: self = .timestamp(value.u64)
        case AMQP_FIELD_KIND_TABLE where depth < AMQPFieldTable.maximumDepth:
            self = .table(AMQPFieldTable(value.table, depth: depth + 1))
        default: self = .void
        }
    }

    private init(text: UnsafeRawBufferPointer) {
        if let string = String(validating: text, as: UTF8.self) {
            self = .string(string)
        } else {
            self = .bytes(Array(text))
        }
    }
}
