import Foundation
import PushModel
import Testing

@Suite struct JSONTextTests {
    @Test(arguments: [
        ("", ""), ("plain", "plain"), (#"\"\\\/"#, #""\/"#), (#"\b\f\n\r\t"#, "\u{8}\u{C}\n\r\t"),
        (#"\u0041\u00e9\u20AC"#, "Aé€"), (#"\ud83d\ude00"#, "😀"), (#"a\uD83D\uDE00b"#, "a😀b"),
        (#"\ud83d"#, "\u{FFFD}"), (#"\ude00"#, "\u{FFFD}"), (#"\ud83dx"#, "\u{FFFD}x"),
        (#"\ud83d\n"#, "\u{FFFD}\n"), (#"\ud83d\u0041"#, "\u{FFFD}A"), (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"),
        (#"\ude00\ud83d"#, "\u{FFFD}\u{FFFD}"), (#"\udbff\udfff"#, "\u{10FFFF}"), (#"\ud800\udc00"#, "\u{10000}"),
        (#"\u0000"#, "\0"), ("ü😀", "ü😀"), (#"\\u0041"#, #"\u0041"#),
    ])
    func unescapesStrings(escaped: String, expected: String) {
        #expect(String(decoding: JSONText.unescaped(Array(escaped.utf8)), as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("", #""""#), ("plain/é😀", #""plain/é😀""#), (#"a"b\c"#, #""a\"b\\c""#),
        ("\0\u{8}\t\n\u{1F}\u{7F}", "\"\\u0000\\u0008\\u0009\\u000a\\u001f\u{7F}\""),
    ])
    func escapesOnlyRequiredCharacters(text: String, expected: String) {
        var written: [UInt8] = []
        JSONText.append(text, to: &written)
        #expect(String(decoding: written, as: UTF8.self) == expected)
    }

    @Test func writesCharactersThatFoundationReadsBack() throws {
        let scalars = (0...0x2FF).map(UInt32.init) + [0x2028, 0xFFFD, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF]
        let text = String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
        var written: [UInt8] = []
        JSONText.append(text, to: &written)
        #expect(try JSONDecoder().decode(String.self, from: Data(written)) == text)
        #expect(String(decoding: JSONText.unescaped(written.dropFirst().dropLast()), as: UTF8.self) == text)
    }

    @Test func writesObjects() {
        var writer = JSONObjectWriter(capacity: 8)
        writer.member("a", string: "x\"")
        writer.member("b", integer: .min)
        writer.member("c", raw: "{ }".utf8)
        writer.array("d") { $0 += "1,2".utf8 }
        #expect(
            String(decoding: writer.finish(), as: UTF8.self)
                == #"{"a":"x\"","b":-9223372036854775808,"c":{ },"d":[1,2]}"#)
        #expect(JSONObjectWriter(capacity: 0).finish() == Array("{}".utf8))
    }
}
