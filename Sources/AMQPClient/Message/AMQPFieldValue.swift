/// A typed value of a field table, with RabbitMQ's interpretation of the type letters (rabbitmq.com, "AMQP 0-9-1
/// Errata", section 3).
package enum AMQPFieldValue: Sendable, Hashable {
    case boolean(Bool)
    case int8(Int8)
    case uint8(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case float(Float)
    case double(Double)
    /// A decimal number, which is `value` divided by ten to the power of `scale`.
    case decimal(scale: UInt8, value: UInt32)
    /// A long string that is valid UTF-8.
    case string(String)
    /// A byte array, or a long string that is not valid UTF-8.
    case bytes([UInt8])
    case array([AMQPFieldValue])
    /// A time in seconds since 1970.
    case timestamp(UInt64)
    case table(AMQPFieldTable)
    case void
}

extension AMQPFieldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int64(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// The text of a string, or `nil` for other types.
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value of an integer of any size, or `nil` for other types and for values above `Int64.max`.
    package var integer: Int64? {
        switch self {
        case .int8(let value): Int64(value)
        case .uint8(let value): Int64(value)
        case .int16(let value): Int64(value)
        case .uint16(let value): Int64(value)
        case .int32(let value): Int64(value)
        case .uint32(let value): Int64(value)
        case .int64(let value): value
        case .uint64(let value): Int64(exactly: value)
        default: nil
        }
    }
}
