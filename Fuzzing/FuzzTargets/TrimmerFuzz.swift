import APNSOutput
import PushModel

/// A payload that is cut fits, is JSON, and differs only in its alert's text, which is the beginning of the old
/// one. The first two bytes are the limit; the third says whether the rest is the payload or the alert's text.
enum TrimmerFuzz {
    static func violation(in input: UnsafeRawBufferPointer) -> String? {
        var input = InputReader(input)
        let limit = Int(input.byte()) << 4 | Int(input.byte() & 0x0f)
        let isText = input.byte() & 1 == 1
        let payload = isText ? wrapped(input.remaining()) : input.remaining()
        // The trimmer is for objects that have been checked and are too long.
        guard payload.count > limit, payload.first == UInt8(ascii: "{"),
            (try? UTF8Span(validating: payload.span)) != nil,
            payload.withUnsafeBufferPointer({ JSONFuzz.accepts($0) })
        else { return nil }
        guard let trimmed = payload.withUnsafeBufferPointer({ PayloadTrimmer.trim($0, toBytes: limit) }) else {
            return isText && limit >= wrapped([]).count + 3 ? "an alert was not cut" : nil
        }
        return violation(of: trimmed, payload, limit)
    }

    private static func wrapped(_ text: [UInt8]) -> [UInt8] {
        var result = Array(#"{"aps":{"alert":"#.utf8)
        JSONText.append(String(decoding: text, as: UTF8.self), to: &result)
        return result + Array("}}".utf8)
    }

    private static func violation(of trimmed: PayloadTrimmer.Trimmed, _ payload: [UInt8], _ limit: Int) -> String? {
        let result = trimmed.payload
        if result.count > limit { return "\(result.count) bytes, the limit being \(limit)" }
        if trimmed.removedBytes != payload.count - result.count { return "wrong count of removed bytes" }
        if !result.withUnsafeBufferPointer({ JSONFuzz.accepts($0) }) { return "the result is not JSON" }
        // Where the ellipsis stands, the old text was cut; before and after it nothing has changed.
        let start = zip(payload, result).prefix { $0 == $1 }.count
        let end = zip(payload.reversed(), result.reversed()).prefix { $0 == $1 }.count
        let ellipsis = Array("…".utf8)
        let changed = result[min(start, result.count)..<max(min(start, result.count), result.count - end)]
        let hasEllipsis = result.indices.contains { result[$0...].starts(with: ellipsis) }
        if !hasEllipsis { return "no ellipsis" }
        // Escapes in the old text are written anew, so bytes may differ where there are any.
        if !payload.contains(UInt8(ascii: "\\")), changed.count > ellipsis.count {
            return "more than an ellipsis is new: \(String(decoding: changed, as: UTF8.self))"
        }
        return nil
    }
}
