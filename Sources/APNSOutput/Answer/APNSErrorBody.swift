package import PushModel

/// The JSON body of a refusal: `{"reason":"Unregistered","timestamp":1700000000000}`.
///
/// An empty body, one that is not JSON, or one without a reason yields nothing and is no fault: the status
/// still tells.
package struct APNSErrorBody: Equatable {
    package private(set) var reason: String?
    /// Milliseconds, and only with status 410: when the token was last found dead.
    package private(set) var timestamp: Timestamp?

    /// What a GOAWAY says besides: its reason, or else its text as it is.
    static func words(_ debugData: [UInt8]) -> String {
        APNSErrorBody(debugData).reason ?? String(decoding: debugData, as: UTF8.self)
    }

    package init(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { bytes in
            guard (try? UTF8Span(validating: bytes.span)) != nil else { return }
            var scanner = JSONScanner(bytes)
            guard scanner.nextKind() == .object else { return }
            try? scanner.object { (key, scanner) throws(JSONSyntaxError) in
                let kind = scanner.nextKind()
                let value = try scanner.value()
                let text = bytes[value]
                if bytes[key.range].elementsEqual("reason".utf8), kind == .string {
                    reason = String(decoding: JSONText.unescaped(text.dropFirst().dropLast()), as: UTF8.self)
                } else if bytes[key.range].elementsEqual("timestamp".utf8), kind == .number {
                    timestamp = Int64(String(decoding: text, as: UTF8.self)).map(Timestamp.init(milliseconds:))
                        .flatMap { Timestamp.representable.contains($0) ? $0 : nil }
                }
            }
        }
    }
}
