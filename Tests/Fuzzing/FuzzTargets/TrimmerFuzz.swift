import APNSOutput
import Foundation
import PushModel

/// A fuzz target for the payload trimmer. A trimmed payload fits and is JSON. It differs only in its alert text, which
/// is a prefix of the original text and an ellipsis. The first byte of the input and the low half of the second are the
/// limit. The lowest bit of the third decides whether the rest is the payload or the alert text.
enum TrimmerFuzz {
    static func violation(in input: UnsafeRawBufferPointer) -> String? {
        var input = InputReader(input)
        let limit = Int(input.byte()) << 4 | Int(input.byte() & 0x0f)
        let isText = input.byte() & 1 == 1
        let payload = isText ? wrapped(input.remaining()) : input.remaining()
        // The trimmer expects objects that have been checked and are too long.
        guard payload.count > limit, payload.first == UInt8(ascii: "{"),
            (try? UTF8Span(validating: payload.span)) != nil,
            payload.withUnsafeBufferPointer({ JSONFuzz.accepts($0) })
        else { return nil }
        guard let trimmed = payload.withUnsafeBufferPointer({ PayloadTrimmer.trim($0, toBytes: limit) }) else {
            return isText && limit >= wrapped([]).count + 3 ? "an alert was not cut" : nil
        }
        return violation(of: trimmed, payload, limit)
    }

    /// Returns whether two texts are the same JSON.
    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let values = [one, other].map { try? JSONSerialization.jsonObject(with: Data($0)) as? NSDictionary }
        return values[0] != nil && values[0] == values[1]
    }

    private static func wrapped(_ text: [UInt8]) -> [UInt8] {
        var result = Array(#"{"aps":{"alert":"#.utf8)
        JSONText.append(String(decoding: text, as: UTF8.self), to: &result)
        return result + Array("}}".utf8)
    }

    private static func violation(of trimmed: PayloadTrimmer.Trimmed, _ payload: [UInt8], _ limit: Int) -> String? {
        let result = trimmed.payload
        if result.count > limit { return "\(result.count) bytes, but the limit is \(limit)" }
        if trimmed.removedBytes != payload.count - result.count { return "wrong count of removed bytes" }
        if !result.withUnsafeBufferPointer({ JSONFuzz.accepts($0) }) { return "the result is not JSON" }
        // The original text was cut at the ellipsis. Everything before and after it must be unchanged.
        let start = zip(payload, result).prefix { $0 == $1 }.count
        let end = zip(payload.reversed(), result.reversed()).prefix { $0 == $1 }.count
        let ellipsis = Array("…".utf8)
        let changed = result[min(start, result.count)..<max(min(start, result.count), result.count - end)]
        let hasEllipsis = result.indices.contains { result[$0...].starts(with: ellipsis) }
        // Escapes in the original text are rewritten, so their bytes may differ, and the whole text may then fit.
        if !hasEllipsis { return isSame(result, payload) ? nil : "no ellipsis" }
        if !payload.contains(UInt8(ascii: "\\")), changed.count > ellipsis.count {
            return "more than an ellipsis was added: \(String(decoding: changed, as: UTF8.self))"
        }
        return nil
    }
}
