import Foundation
import PushModel

/// A fuzz target that compares our JSON scanner with Foundation's parser.
enum JSONFuzz {
    static func violation(in input: [UInt8]) -> String? {
        guard (try? UTF8Span(validating: input.span)) != nil else { return nil }
        let ours = input.withUnsafeBufferPointer { accepts($0) }
        let theirs = (try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed)) != nil
        if theirs, !ours, !isBeyondTheGrammar(input), depth(of: input) <= JSONScanner.maximumDepth {
            return "Foundation accepts the text, but the scanner rejects it"
        }
        // Foundation also rejects lone surrogates and numbers that are too large for it, which the grammar allows.
        if ours, !theirs, !input.contains(UInt8(ascii: "\\")), !input.contains(where: isDigit) {
            return "the scanner accepts the text, but Foundation rejects it"
        }
        return unescapingViolation(in: input)
    }

    static func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var scanner = JSONScanner(bytes)
        do throws(JSONSyntaxError) {
            let range = try scanner.value()
            try scanner.end()
            return !range.isEmpty && range.upperBound <= bytes.count
        } catch {
            return false
        }
    }

    /// Checks that text which is written as JSON is read back unchanged.
    private static func unescapingViolation(in input: [UInt8]) -> String? {
        let text = String(decoding: input, as: UTF8.self)
        var written: [UInt8] = []
        JSONText.append(text, to: &written)
        guard written.withUnsafeBufferPointer({ accepts($0) }) else { return "the written text is not JSON" }
        let size = input.reduce(2) { $0 + JSONText.escapedSize(of: $1) }
        if written.count != size { return "\(written.count) bytes, not \(size) as computed" }
        return JSONText.unescaped(written.dropFirst().dropLast()) == input ? nil : "escaping changes the text"
    }

    /// Returns whether the input uses one of Foundation's deviations from RFC 8259. Foundation accepts UTF-16 and
    /// UTF-32, which it recognizes by zero bytes, skips a byte order mark, and accepts a comma after the last element.
    private static func isBeyondTheGrammar(_ input: [UInt8]) -> Bool {
        let text = input.filter { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let hasTrailingComma = zip(text, text.dropFirst()).contains { pair in
            pair.0 == UInt8(ascii: ",") && (pair.1 == UInt8(ascii: "]") || pair.1 == UInt8(ascii: "}"))
        }
        return hasTrailingComma || input.contains(0) || input.starts(with: [0xef, 0xbb, 0xbf])
    }

    /// Returns an upper bound of the nesting depth. Brackets in strings count, too.
    private static func depth(of input: [UInt8]) -> Int {
        input.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
