import PushModel

/// The contents of a refusal's body: Apple's `{"reason":"BadJwtToken"}`, Mozilla's `{"errno":106,"message":"…"}`, or
/// Google's plain text or HTML. If the body contains nothing known, the status alone decides.
package struct RefusalBody: Equatable {
    /// The maximum length of a reason, in bytes. All known reasons are shorter.
    private static let longestReason = 64
    /// The accepted values of `errno`. Mozilla's numbers have three digits.
    private static let errnos = 0...9_999

    package private(set) var reason: String?
    package private(set) var errno: Int?
    /// The service's message in lower case, or the whole body in lower case if it is not JSON.
    package private(set) var text = ""

    package init(_ body: [UInt8]) {
        body.withUnsafeBufferPointer { body in
            guard (try? UTF8Span(validating: body.span)) != nil else { return }
            var scanner = JSONScanner(body)
            guard scanner.nextKind() == .object else {
                return text = String(decoding: body, as: UTF8.self).lowercased()
            }
            try? scanner.object { (name, scanner) throws(JSONSyntaxError) in
                let kind = scanner.nextKind()
                let value = body[try scanner.value()]
                take(body[name.range], kind, value)
            }
        }
    }

    private mutating func take(
        _ name: Slice<UnsafeBufferPointer<UInt8>>, _ kind: JSONScanner.ValueKind,
        _ value: Slice<UnsafeBufferPointer<UInt8>>
    ) {
        if kind == .string, name.elementsEqual("reason".utf8) {
            reason = Self.reason(value.dropFirst().dropLast())
        } else if kind == .number, name.elementsEqual("errno".utf8) {
            errno = Int(String(decoding: value, as: UTF8.self)).flatMap { Self.errnos.contains($0) ? $0 : nil }
        } else if kind == .string, name.elementsEqual("message".utf8) {
            text = String(decoding: JSONText.unescaped(value.dropFirst().dropLast()), as: UTF8.self).lowercased()
        }
    }

    /// Returns the reason if it is one word of letters and digits, or `nil`. The reason is used in result events and as
    /// a label of metrics.
    private static func reason(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        let word = String(decoding: text, as: UTF8.self)
        let isWord = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        return isWord && (1...longestReason).contains(word.utf8.count) ? word : nil
    }
}
