internal import CNGHTTP2

/// A list of header fields. It is encoded once, into memory that never moves, and the HTTP/2 library reads it without
/// copying. Pseudo-header fields come first, regardless of the given order.
public final class HTTP2Fields: Sendable {
    // why: written before init returns, and never afterwards.
    private nonisolated(unsafe) let text: UnsafeMutablePointer<UInt8>
    // why: initialised before init returns, and not changed afterwards.
    nonisolated(unsafe) let native: UnsafeMutablePointer<nghttp2_nv>
    let pseudoCount: Int
    public let count: Int

    /// Encodes a list of fields.
    ///
    /// - Throws: ``HTTP2Error`` of kind `invalidField`, which names the field. The cause is a name that is not a
    ///   lower-case token, or a value that has a control character other than a tab, or white space at its beginning or
    ///   end.
    public init(_ fields: [HTTP2Field]) throws(HTTP2Error) {
        for field in fields {
            try Self.check(field)
        }
        let ordered = fields.filter { $0.name.hasPrefix(":") } + fields.filter { !$0.name.hasPrefix(":") }
        count = ordered.count
        pseudoCount = ordered.count { $0.name.hasPrefix(":") }
        text = .allocate(capacity: max(1, ordered.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }))
        native = .allocate(capacity: max(1, ordered.count))
        var end = text
        func append(_ string: String) -> (UnsafeMutablePointer<UInt8>, Int) {
            let start = end
            for byte in string.utf8 {
                end.initialize(to: byte)
                end += 1
            }
            return (start, end - start)
        }
        for (index, field) in ordered.enumerated() {
            let (name, nameLength) = append(field.name)
            let (value, valueLength) = append(field.value)
            var flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
            if field.neverIndexed {
                flags |= NGHTTP2_NV_FLAG_NO_INDEX.rawValue
            }
            (native + index).initialize(
                to: nghttp2_nv(
                    name: name, value: value, namelen: nameLength, valuelen: valueLength,
                    flags: UInt8(truncatingIfNeeded: flags)))
        }
    }

    /// Calls `body` for each field, pseudo-header fields first.
    public func forEach(_ body: (_ name: String, _ value: String) -> Void) {
        for field in UnsafeBufferPointer(start: native, count: count) {
            body(
                String(decoding: UnsafeBufferPointer(start: field.name, count: field.namelen), as: UTF8.self),
                String(decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen), as: UTF8.self))
        }
    }

    deinit {
        text.deallocate()
        native.deallocate()
    }

    private static func check(_ field: HTTP2Field) throws(HTTP2Error) {
        var name = field.name
        let nameIsGood = name.withUTF8 { nghttp2_check_header_name($0.baseAddress, $0.count) != 0 }
        guard nameIsGood else {
            throw HTTP2Error(.invalidField, "'\(field.name)' is not a lower-case header field name")
        }
        var value = field.value
        let valueIsGood = value.withUTF8 { nghttp2_check_header_value_rfc9113($0.baseAddress, $0.count) != 0 }
        guard valueIsGood else {
            throw HTTP2Error(
                .invalidField,
                "the value of '\(field.name)' has a control character, or begins or ends with white space")
        }
    }
}
