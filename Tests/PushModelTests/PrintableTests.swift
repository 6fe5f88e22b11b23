import Foundation
import PushModel
import PushTestSupport
import Testing

@Suite struct PrintableTests {
    @Test(arguments: [
        ("order-8841", "order-8841"), ("Zürich 東京 🎉", "Zürich 東京 🎉"), ("", ""),
        ("a\u{1B}[2J\u{1B}]0;owned\u{7}", #"a\u{1B}[2J\u{1B}]0;owned\u{7}"#),
        ("one\r\ntwo\tthree", #"one\r\ntwo\tthree"#),
        ("\u{9B}31m\u{7F}\u{0}", #"\u{9B}31m\u{7F}\u{0}"#),
        ("\u{202E}gpj.exe\u{2066}\u{200B}\u{FEFF}", #"\u{202E}gpj.exe\u{2066}\u{200B}\u{FEFF}"#),
        ("\u{2028}\u{E0041}\u{FFFF}", #"\u{2028}\u{E0041}\u{FFFF}"#),
    ])
    func escapesCharactersThatControlTerminal(text: String, shown: String) {
        #expect(text.printable == shown)
    }

    @Test func keepsLineBreaksOfPrintableLines() {
        #expect("usage:\n  a\u{1B}b\n".printableLines == "usage:\n  a\\u{1B}b\n")
    }

    @Test func escapesJSONWithoutChangingValue() throws {
        let value = ["a\u{1B}[0m\u{9B}": "\u{202E}\u{E0041}\n\u{7F}é"]
        // JSONEncoder does not escape most of these characters.
        let text = try String(decoding: JSONEncoder().encode(value), as: UTF8.self)
        let shown = text.printableJSON
        #expect(shown.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) || $0 == "é" }, "\(shown)")
        #expect(try JSONDecoder().decode([String: String].self, from: Data(shown.utf8)) == value)
        #expect("{\n\t\"a\": 1}\r\n".printableJSON == "{  \"a\": 1}  ")
    }

    @Test(arguments: [
        ("short", 5, "short"), ("shorter", 5, "short…"), ("fünf", 2, "f…"), ("a\nb", 4, #"a\nb"#),
        ("a\nb", 3, #"a\n…"#),
        (String(repeating: "\u{1B}", count: 1_000), 6, #"\u{1B}…"#), ("", 5, ""),
    ])
    func shortensPrintableText(text: String, bytes: Int, shown: String) {
        #expect(text.printable(upTo: bytes) == shown)
    }

    @Test func escapesReasonAndDetailOfOutcome() throws {
        let outcome = Outcome(
            job: RoutedJob(try Job.sample()), recipient: 0, verdict: .rejected, reason: "Bad\u{1B}[31mToken",
            detail: "line one\r\nline\u{202E} two", at: Timestamp(seconds: 0))
        #expect(outcome.reason == #"Bad\u{1B}[31mToken"#)
        #expect(outcome.detail == #"line one\r\nline\u{202E} two"#)
    }
}
