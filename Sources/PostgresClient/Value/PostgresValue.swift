/// A parameter of a statement. Times are in milliseconds since 1970 and become a `timestamptz`.
package enum PostgresValue: Sendable, Hashable {
    case null
    /// A value whose type the statement determines, as for a quoted literal. The default is `text`.
    case text(String)
    case int(Int32)
    case bigint(Int64)
    case bool(Bool)
    case bytea([UInt8])
    case timestamp(milliseconds: Int64)
    case textArray([String?])
    case bigintArray([Int64?])
    case byteaArray([[UInt8]?])
    case timestampArray(milliseconds: [Int64?])

    package static func text(_ value: String?) -> Self { value.map { .text($0) } ?? .null }
    package static func timestamp(milliseconds: Int64?) -> Self {
        milliseconds.map { .timestamp(milliseconds: $0) } ?? .null
    }
}
