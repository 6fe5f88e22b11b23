internal import CRabbitMQ

/// Memory for the strings, tables and arrays of one library call.
///
/// The library reads them only during the call. The pool is then emptied and reused for the next call.
final class FieldPool {
    private var pool = amqp_pool_t()

    init() {
        init_amqp_pool(&pool, 16_384)
    }

    deinit {
        empty_amqp_pool(&pool)
    }

    func reset() {
        recycle_amqp_pool(&pool)
    }

    func bytes(_ text: String) -> amqp_bytes_t {
        var text = text
        return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
    }

    func table(_ table: AMQPFieldTable) -> amqp_table_t {
        guard let entries = allocate(amqp_table_entry_t.self, count: table.entries.count) else { return amqp_table_t() }
        for (index, entry) in table.entries.enumerated() {
            (entries + index).initialize(to: amqp_table_entry_t(key: bytes(entry.key), value: value(entry.value)))
        }
        return amqp_table_t(num_entries: Int32(table.entries.count), entries: entries)
    }

    private func value(_ value: AMQPFieldValue) -> amqp_field_value_t {
        var field = amqp_field_value_t()
        func set(_ kind: amqp_field_value_kind_t) { field.kind = UInt8(truncatingIfNeeded: kind.rawValue) }
        switch value {
        case .boolean(let value):
            set(AMQP_FIELD_KIND_BOOLEAN)
            field.value.boolean = value ? 1 : 0
        case .int8(let value):
            set(AMQP_FIELD_KIND_I8)
            field.value.i8 = value
        case .uint8(let value):
            set(AMQP_FIELD_KIND_U8)
            field.value.u8 = value
        case .int16(let value):
            set(AMQP_FIELD_KIND_I16)
            field.value.i16 = value
        case .uint16(let value):
            set(AMQP_FIELD_KIND_U16)
            field.value.u16 = value
        case .int32(let value):
            set(AMQP_FIELD_KIND_I32)
            field.value.i32 = value
        case .uint32(let value):
            set(AMQP_FIELD_KIND_U32)
            field.value.u32 = value
        case .int64(let value):
            set(AMQP_FIELD_KIND_I64)
            field.value.i64 = value
        case .uint64(let value):
            set(AMQP_FIELD_KIND_U64)
            field.value.u64 = value
        case .float(let value):
            set(AMQP_FIELD_KIND_F32)
            field.value.f32 = value
        case .double(let value):
            set(AMQP_FIELD_KIND_F64)
            field.value.f64 = value
        case .decimal(let scale, let value):
            set(AMQP_FIELD_KIND_DECIMAL)
            field.value.decimal = amqp_decimal_t(decimals: scale, value: value)
        case .string(let text):
            set(AMQP_FIELD_KIND_UTF8)
            field.value.bytes = bytes(text)
        case .bytes(let bytes):
            set(AMQP_FIELD_KIND_BYTES)
            field.value.bytes = bytes.withUnsafeBytes(copy)
        case .array(let values):
            set(AMQP_FIELD_KIND_ARRAY)
            field.value.array = array(values)
        case .timestamp(let seconds):
            set(AMQP_FIELD_KIND_TIMESTAMP)
            field.value.u64 = seconds
        case .table(let nested):
            set(AMQP_FIELD_KIND_TABLE)
            field.value.table = table(nested)
        case .void:
            set(AMQP_FIELD_KIND_VOID)
        }
        return field
    }

    private func array(_ values: [AMQPFieldValue]) -> amqp_array_t {
        guard let entries = allocate(amqp_field_value_t.self, count: values.count) else { return amqp_array_t() }
        for (index, element) in values.enumerated() {
            (entries + index).initialize(to: value(element))
        }
        return amqp_array_t(num_entries: Int32(values.count), entries: entries)
    }

    private func copy(_ source: UnsafeRawBufferPointer) -> amqp_bytes_t {
        guard let base = source.baseAddress, let target = amqp_pool_alloc(&pool, source.count) else {
            return amqp_bytes_t()
        }
        target.copyMemory(from: base, byteCount: source.count)
        return amqp_bytes_t(len: source.count, bytes: target)
    }

    private func allocate<T>(_ type: T.Type, count: Int) -> UnsafeMutablePointer<T>? {
        amqp_pool_alloc(&pool, count * MemoryLayout<T>.stride)?.assumingMemoryBound(to: type)
    }
}
