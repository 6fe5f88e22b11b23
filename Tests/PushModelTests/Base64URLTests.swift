import Foundation
import PushModel
import Testing

@Suite struct Base64URLTests {
    /// The examples of RFC 4648, section 10, without padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func convertsExamplesOfRFC4648(plain: String, text: String) {
        #expect(Base64URL.text(Array(plain.utf8)) == text)
        #expect(Base64URL.bytes(text) == Array(plain.utf8))
        #expect(Base64URL.bytes(text + String(repeating: "=", count: (4 - text.count % 4) % 4)) == Array(plain.utf8))
    }

    @Test func readsBackRandomBytes() {
        for count in 0..<70 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
            let text = Base64URL.text(bytes)
            let other = text.replacing("-", with: "+").replacing("_", with: "/")
            #expect(Data(base64Encoded: other + String(repeating: "=", count: (4 - text.count % 4) % 4)) == Data(bytes))
            #expect(Base64URL.bytes(text) == bytes)
            #expect(Base64URL.bytes(other) == bytes)
        }
    }

    @Test(arguments: ["A", "AAAAA", "A=", "AA=", "AA===", "AAA==", "AAAA=", "=AAA", "AA=A", "A A", "AA\n", "Ä"])
    func rejectsInvalidBase64(text: String) {
        #expect(Base64URL.bytes(text) == nil)
    }
}
