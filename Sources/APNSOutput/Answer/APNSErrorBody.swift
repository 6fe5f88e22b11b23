package import PushModel

/// The JSON body of a refusal: `{"reason":"Unregistered","timestamp":1700000000000}`.
///
/// If the body is empty, invalid or without a reason, `reason` is `nil` and the status alone decides.
package struct APNSErrorBody: Equatable {
    package private(set) var reason: String?
    /// The time at which APNs last found the token dead, or `nil`. Only an answer with status 410 contains it. The JSON
    /// value is in milliseconds.
    package private(set) var timestamp: Timestamp?

    /// Returns the reason in the debug data of a GOAWAY, or the data as text if it contains no reason.
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
