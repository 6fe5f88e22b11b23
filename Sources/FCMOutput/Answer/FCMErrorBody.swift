import PushModel

/// The body of an unsuccessful answer (Google: REST resource projects.messages, "ErrorCode", and `google.rpc.Status`).
/// Parts that are missing or unreadable are `nil`.
package struct FCMErrorBody: Equatable {
    /// The `google.rpc.Code`, such as `NOT_FOUND`.
    package private(set) var status: String?
    package private(set) var message: String?
    /// The code of a `google.firebase.fcm.v1.FcmError`, such as `UNREGISTERED`.
    package private(set) var errorCode: String?
    /// The first field that a `google.rpc.BadRequest` names. ``violation`` is Google's description of the error in it.
    package private(set) var violatedField: String?
    package private(set) var violation: String?
    /// The description of the exhausted quota in a `google.rpc.QuotaFailure`.
    package private(set) var quota: String?
    /// Whether the body is longer than the bytes that were read. A part that is `nil` may then be in the unread bytes.
    package let isCut: Bool

    /// Parses an error body.
    ///
    /// - Parameter isCut: whether these bytes are only the beginning of the body.
    package init(_ body: [UInt8], isCut: Bool = false) {
        self.isCut = isCut
        body.withUnsafeBufferPointer { body in
            let bytes = isCut ? UnsafeBufferPointer(rebasing: body.prefix(Self.wholeCharacters(of: body))) : body
            guard (try? UTF8Span(validating: bytes.span)) != nil else { return }
            var scanner = JSONScanner(bytes)
            guard scanner.nextKind() == .object else { return }
            try? scanner.members(in: bytes) { name, scanner throws(JSONSyntaxError) in
                guard name == "error", scanner.nextKind() == .object else { return _ = try scanner.value() }
                try readError(&scanner, bytes)
            }
        }
    }

    /// Returns the length of the prefix that certainly consists of whole characters. It excludes a last character that
    /// is not ASCII.
    private static func wholeCharacters(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let start = bytes.suffix(4).lastIndex { $0 & 0xC0 != 0x80 } ?? bytes.endIndex
        return start < bytes.endIndex && bytes[start] < 0x80 ? bytes.count : start
    }

    private mutating func readError(
        _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONSyntaxError) {
        try scanner.members(in: bytes) { name, scanner throws(JSONSyntaxError) in
            switch name {
            case "status": status = try scanner.text(in: bytes)
            case "message": message = try scanner.text(in: bytes)
            case "details" where scanner.nextKind() == .array:
                try scanner.array { scanner throws(JSONSyntaxError) in
                    guard scanner.nextKind() == .object else { return _ = try scanner.value() }
                    try readDetail(&scanner, bytes)
                }
            default: try scanner.value()
            }
        }
    }

    /// Reads one element of `details`. The names of its members identify its type, so `@type` is ignored.
    private mutating func readDetail(
        _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONSyntaxError) {
        try scanner.members(in: bytes) { name, scanner throws(JSONSyntaxError) in
            switch name {
            case "errorCode": errorCode = try scanner.text(in: bytes) ?? errorCode
            case "fieldViolations" where scanner.nextKind() == .array:
                let first = try Self.firstViolation(&scanner, bytes)
                violatedField = violatedField ?? first["field"]
                violation = violation ?? first["description"]
            case "violations" where scanner.nextKind() == .array:
                let first = try Self.firstViolation(&scanner, bytes)
                quota = quota ?? first["description"]
            default: try scanner.value()
            }
        }
    }

    private static func firstViolation(
        _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONSyntaxError) -> [String: String] {
        var first: [String: String] = [:]
        var isFirst = true
        try scanner.array { scanner throws(JSONSyntaxError) in
            defer { isFirst = false }
            guard isFirst, scanner.nextKind() == .object else { return _ = try scanner.value() }
            try scanner.members(in: bytes) { name, scanner throws(JSONSyntaxError) in
                let text = try scanner.text(in: bytes)
                if first[name] == nil { first[name] = text }
            }
        }
        return first
    }
}

/// A reader for the body of a 200 answer, which contains the `name` of the accepted message.
enum FCMSuccessBody {
    static func name(in body: [UInt8]) -> ProviderID? {
        var id: ProviderID?
        body.withUnsafeBufferPointer { bytes in
            guard (try? UTF8Span(validating: bytes.span)) != nil else { return }
            var scanner = JSONScanner(bytes)
            guard scanner.nextKind() == .object else { return }
            try? scanner.members(in: bytes) { name, scanner throws(JSONSyntaxError) in
                let text = try scanner.text(in: bytes)
                if name == "name" { id = text.flatMap(ProviderID.init) }
            }
        }
        return id
    }
}

extension JSONScanner {
    fileprivate mutating func members(
        in bytes: UnsafeBufferPointer<UInt8>, _ body: (String, inout JSONScanner) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        try object { (key, scanner) throws(JSONSyntaxError) in try body(key.text(in: bytes), &scanner) }
    }

    /// Reads a string and returns it, or skips a value of another kind and returns `nil`.
    fileprivate mutating func text(in bytes: UnsafeBufferPointer<UInt8>) throws(JSONSyntaxError) -> String? {
        guard nextKind() == .string else {
            try value()
            return nil
        }
        return try string().text(in: bytes)
    }
}
