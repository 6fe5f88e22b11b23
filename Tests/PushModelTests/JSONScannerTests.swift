import Foundation
import PushModel
import PushTestSupport
import Testing

@Suite struct JSONScannerTests {
    private static func scan(_ text: some Sequence<UInt8>) -> Result<Range<Int>, JSONSyntaxError> {
        Array(text).withUnsafeBufferPointer { bytes in
            Result { () throws(JSONSyntaxError) in
                var scanner = JSONScanner(bytes)
                let range = try scanner.value()
                try scanner.end()
                return range
            }
        }
    }

    private static func scan(_ text: String) -> Result<Range<Int>, JSONSyntaxError> { scan(text.utf8) }

    /// Returns the problem of a text with its offset, or `nil` if the text is accepted.
    private static func failure(_ text: String) -> String? {
        guard case .failure(let error) = scan(text) else { return nil }
        return "\(error.problem) at \(error.offset)"
    }

    @Test(arguments: [
        "{}", "[]", "null", "true", "false", #""""#, "0", "-0", "7", "-12", "0.5", "1e9", "1E+9", "1.25e-3", "10",
        #""a b""#, #""\"\\\/\b\f\n\r\t\u00Ff""#, #""ü €  😀""#, "\"\u{7F}\"", #"{"a":1}"#, #"{"":{}}"#,
        #"{"a":1,"a":2}"#, "[1,2,[3,{}]]", #"{"a":[{"b":null},"c",-1.5]}"#, #"{"\u0061":"\ud83d\ude00","b":"\ud83d"}"#,
    ])
    func acceptsValidJSONAndReturnsRange(text: String) {
        #expect(Self.scan(text) == .success(0..<text.utf8.count))
        #expect(Self.scan(" \n\t\r\(text)\r\t\n ") == .success(4..<4 + text.utf8.count), "surrounded by white space")
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        let text: String
        let offset: Int
        let problem: String
        var testDescription: String { text.debugDescription }

        init(_ text: String, _ offset: Int, _ problem: String) {
            self.text = text
            self.offset = offset
            self.problem = problem
        }
    }

    @Test(arguments: [
        Broken("", 0, "unexpected end"), Broken("  ", 2, "unexpected end"), Broken("}", 0, "expected a value"),
        Broken("nul", 0, "expected a value"), Broken("True", 0, "expected a value"),
        Broken("'a'", 0, "expected a value"), Broken("NaN", 0, "expected a value"),
        Broken("+1", 0, "expected a value"), Broken(".5", 0, "expected a value"),
        Broken("01", 1, "text after the end of the value"), Broken("1 2", 2, "text after the end of the value"),
        Broken("{}}", 2, "text after the end of the value"), Broken("-", 1, "unexpected end"),
        Broken("-a", 1, "expected a digit"), Broken("1.", 2, "unexpected end"), Broken("1.e3", 2, "expected a digit"),
        Broken("1e", 2, "unexpected end"), Broken("1e+x", 3, "expected a digit"),
        Broken("0x1", 1, "text after the end of the value"),
        Broken(#"{"a"}"#, 4, "expected ':'"), Broken(#"{"a":}"#, 5, "expected a value"),
        Broken(#"{"a":1,}"#, 7, "expected a string"), Broken(#"{a:1}"#, 1, "expected a string"),
        Broken(#"{"a":1 "b":2}"#, 7, "expected ',' or the closing bracket"),
        Broken("[1,]", 3, "expected a value"), Broken("[,1]", 1, "expected a value"),
        Broken("[1}", 2, "expected ',' or the closing bracket"),
        Broken("[1 2]", 3, "expected ',' or the closing bracket"), Broken("[1", 2, "unexpected end"),
        Broken(#""a"#, 2, "unexpected end"), Broken("\"a\nb\"", 2, "control character in a string"),
        Broken("\"\0\"", 1, "control character in a string"), Broken("\"\u{1F}\"", 1, "control character in a string"),
        Broken(#""\x""#, 1, "unknown escape in a string"),
        Broken(#""\u12g4""#, 1, "expected four hex digits after \\u"),
        Broken(#""\u123""#, 1, "expected four hex digits after \\u"), Broken("[1,\u{0}]", 3, "expected a value"),
        Broken("\u{FEFF}{}", 0, "expected a value"), Broken("[1]// x", 3, "text after the end of the value"),
    ])
    func rejectsInvalidJSONWithOffset(broken: Broken) {
        #expect(Self.failure(broken.text) == "\(broken.problem) at \(broken.offset)")
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func limitsNestingTo64Levels(open: String, close: String) {
        func nested(_ levels: Int) -> String {
            String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
        }
        #expect(Self.scan(nested(64)) == .success(0..<nested(64).utf8.count))
        #expect(Self.failure(nested(65)) == "nested deeper than 64 levels at \(open.utf8.count * 64)")
        let siblings = "[" + Array(repeating: nested(63), count: 3).joined(separator: ",") + "]"
        #expect(Self.scan(siblings) == .success(0..<siblings.utf8.count), "depth must decrease at closing brackets")
    }

    private static let sample = Array(
        #" {"s":"a\"\u00e9\ud83d\ude00 ü","n":[-1.5e+3,0,12],"o":{"t":true,"f":false,"z":null},"e":[{},[]]} "#.utf8)

    @Test func rejectsEveryTruncation() throws {
        let whole = Self.sample.dropLast()  // without the white space after it
        #expect(Self.scan(whole) == .success(1..<whole.count))
        for length in 0..<whole.count {
            let result = Self.scan(whole.prefix(length))
            guard case .failure(let error) = result else {
                Issue.record("\(length) bytes were accepted: \(result)")
                continue
            }
            #expect((0...length).contains(error.offset), "offset beyond \(length) bytes: \(error)")
        }
    }

    /// Each byte of a sample is replaced in turn by every byte that has a meaning in JSON. Foundation decides whether
    /// the result is JSON.
    @Test func agreesWithFoundationOnMutations() {
        // The sample has no escaped surrogates, because RFC 8259 permits both results for them.
        let original = Array(#"{"s":"a\"\u00e9","n":[-1.5e+3,0,12],"o":{"t":true,"z":null},"e":[{},[]]}"#.utf8)
        var accepted = 0
        for index in original.indices {
            for byte in #"{}[]",:\ -+.0e1tu"#.utf8 + [0x00, 0x0A, 0x1F, 0x7F] {
                var mutated = original
                mutated[index] = byte
                let text = String(decoding: mutated, as: UTF8.self)
                // Foundation accepts a comma before a bracket, and rejects numbers that are too large for a Double.
                if text.contains(",]") || text.contains("e+310") { continue }
                let isJSON = (try? JSONSerialization.jsonObject(with: Data(mutated), options: .fragmentsAllowed)) != nil
                let result = Self.scan(mutated)
                let isAccepted = if case .success = result { true } else { false }
                #expect(isAccepted == isJSON, "\(text): \(result)")
                if isAccepted { accepted += 1 }
            }
        }
        #expect(accepted > 100, "more than 100 mutations must be valid")
    }
}
