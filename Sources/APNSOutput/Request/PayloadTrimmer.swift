import PushModel

/// A trimmer that shortens an alert's body so that the payload fits. It cuts between grapheme clusters, and at the end
/// of a word if possible.
///
/// Everything else in the payload stays the same byte for byte. The body is encoded again as JSON. If it was cut, it
/// ends with an ellipsis.
package enum PayloadTrimmer {
    package struct Trimmed: Equatable {
        package let payload: [UInt8]
        /// The number of bytes by which the payload became shorter.
        package let removedBytes: Int
    }

    private static let ellipsis = "…"
    /// The maximum number of characters by which a cut moves back to the end of a word. A longer word is cut in its
    /// middle.
    private static let longestWord = 40

    /// Returns the trimmed payload, or `nil` if there is no alert text, or if the payload is too long even with only an
    /// ellipsis in its place.
    ///
    /// - Parameter payload: a JSON object in UTF-8 that is longer than `limit`.
    package static func trim(_ payload: UnsafeBufferPointer<UInt8>, toBytes limit: Int) -> Trimmed? {
        guard let body = bodyRange(in: payload) else { return nil }
        // The number of bytes that are available between the quotes of the alert's body.
        let room = limit - (payload.count - body.count)
        guard room >= ellipsis.utf8.count else { return nil }
        let text = String(decoding: JSONText.unescaped(payload[body]), as: UTF8.self)
        // The whole text may fit if unnecessary escapes are removed.
        let shown =
            fits(text, inEscapedBytes: room)
            ? text : cut(text, toEscapedBytes: room - ellipsis.utf8.count) + ellipsis
        var escaped: [UInt8] = []
        JSONText.append(shown, to: &escaped)
        var result: [UInt8] = []
        result.reserveCapacity(limit)
        result.append(contentsOf: payload[..<(body.lowerBound - 1)])
        result.append(contentsOf: escaped)
        result.append(contentsOf: payload[(body.upperBound + 1)...])
        return Trimmed(payload: result, removedBytes: payload.count - result.count)
    }

    private static func fits(_ text: String, inEscapedBytes room: Int) -> Bool {
        text.utf8.reduce(0) { $0 + JSONText.escapedSize(of: $1) } <= room
    }

    private static func cut(_ text: String, toEscapedBytes room: Int) -> String {
        var used = 0
        var end = text.startIndex
        var wordEnd: String.Index?
        while end < text.endIndex {
            let cluster = text[end]
            let size = cluster.utf8.reduce(0) { $0 + JSONText.escapedSize(of: $1) }
            if used + size > room { break }
            if cluster.isWhitespace { wordEnd = end }
            used += size
            text.formIndex(after: &end)
        }
        if let wordEnd, end < text.endIndex, !text[end].isWhitespace,
            text.distance(from: wordEnd, to: end) <= longestWord
        {
            end = wordEnd
        }
        while end > text.startIndex, text[text.index(before: end)].isWhitespace { text.formIndex(before: &end) }
        return String(text[..<end])
    }

    /// Returns the range of the alert's text without its quotes, or `nil` if there is none. The text is `aps.alert` or
    /// `aps.alert.body`.
    private static func bodyRange(in payload: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard let aps = member("aps", of: 0..<payload.count, in: payload),
            let alert = member("alert", of: aps, in: payload)
        else { return nil }
        let text = payload[alert.lowerBound] == UInt8(ascii: "{") ? member("body", of: alert, in: payload) : alert
        guard let text, payload[text.lowerBound] == UInt8(ascii: "\"") else { return nil }
        return text.lowerBound + 1..<text.upperBound - 1
    }

    private static func member(
        _ name: StaticString, of object: Range<Int>, in payload: UnsafeBufferPointer<UInt8>
    ) -> Range<Int>? {
        var scanner = JSONScanner(payload, at: object.lowerBound)
        var found: Range<Int>?
        try? scanner.object { (key, scanner) throws(JSONSyntaxError) in
            let value = try scanner.value()
            if payload[key.range].elementsEqual(name.withUTF8Buffer { Array($0) }) { found = value }
        }
        return found
    }
}
