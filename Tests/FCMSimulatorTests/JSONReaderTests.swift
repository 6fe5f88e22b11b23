import FCMSimulator
import Testing

/// The strict conformance of the JSON reader to RFC 8259.
@Suite struct JSONReaderTests {
    @Test(arguments: [
        "null", " true ", "[]", "{}", "[1,-0,0.5,-12.25e+3,1E9,10]", #"{"a":{"b":[null]},"a":2}"#,
        #""\"\\\/\b\f\n\r\t\u00e9\ud83e\udd86""#,
        #""é🦆""#, "\t[\n1\r]",
    ])
    func readsValidJSON(text: String) {
        #expect(JSONReader.read(Array(text.utf8)) != nil)
    }

    @Test(arguments: [
        "", " ", "nul", "truee", "[1,]", "[,]", "[1 2]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "01", "-", "1.", ".5", "1e",
        "+1", "0x1", "NaN",
        "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\ud83e\"", "\"\\udd86\"", "\"\\ud83e\\u0041\"", "\"\u{1}\"", "[1]]", "'a'",
        "// a",
    ])
    func rejectsInvalidJSON(text: String) {
        #expect(JSONReader.read(Array(text.utf8)) == nil)
    }

    @Test func limitsDepthAndRequiresUTF8() {
        let nested = [UInt8](repeating: UInt8(ascii: "["), count: 100),
            ends = [UInt8](repeating: UInt8(ascii: "]"), count: 100)
        #expect(JSONReader.read(nested + ends) != nil)
        #expect(JSONReader.read([UInt8(ascii: "[")] + nested + ends + [UInt8(ascii: "]")]) == nil)
        #expect(JSONReader.read([UInt8(ascii: "\""), 0xff, UInt8(ascii: "\"")]) == nil)
    }
}
