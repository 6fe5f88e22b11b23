import APNSOutput
import Foundation
import PushTestSupport
import Testing

@Suite struct PayloadTrimmerTests {
    private func trim(_ payload: String, to limit: Int) -> (text: String, removed: Int)? {
        Array(payload.utf8).withUnsafeBufferPointer { PayloadTrimmer.trim($0, toBytes: limit) }
            .map { (String(decoding: $0.payload, as: UTF8.self), $0.removedBytes) }
    }

    @Test(arguments: [
        // A word end, and the rest byte for byte.
        (#"{ "aps":{"alert":"one two three four"},"x":[1, 2]}"#, 45, #"{ "aps":{"alert":"one two…"},"x":[1, 2]}"#),
        (
            #"{"aps":{"alert":{"title":"T","body":"one two three"}}}"#, 50,
            #"{"aps":{"alert":{"title":"T","body":"one…"}}}"#
        ),
        // No word end: cut anywhere.
        (
            #"{"aps":{"alert":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}"#, 50,
            #"{"aps":{"alert":"aaaaaaaaaaaaaaaaaaaaaaaaaaa…"}}"#
        ),
        // A family emoji is 25 bytes and one cluster.
        (#"{"aps":{"alert":"ab👨‍👩‍👧‍👦cd"}}"#, 44, #"{"aps":{"alert":"ab…"}}"#),
        // An escape is cut whole, and written in its shortest form.
        (#"{"aps":{"alert":"ab\u00e9\u00e9\u00e9\u00e9 cd"}}"#, 31, #"{"aps":{"alert":"abééé…"}}"#),
        (#"{"aps":{"alert":"say \"hi\" to them"}}"#, 35, #"{"aps":{"alert":"say \"hi\"…"}}"#),
    ])
    func cuts(payload: String, limit: Int, expected: String) throws {
        let trimmed = try #require(trim(payload, to: limit))
        #expect(trimmed.text == expected)
        #expect(trimmed.text.utf8.count <= limit)
        #expect(trimmed.removed == payload.utf8.count - trimmed.text.utf8.count)
    }

    @Test(arguments: [
        #"{"aps":{"badge":1},"x":"aaaaaaaaaaaaaaaaaaaaaaaaaa"}"#,
        #"{"aps":{"alert":"a"},"x":"aaaaaaaaaaaaaaaaaaaaaaaaaa"}"#,
        #"{"aps":{"alert":{"title":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}}"#,
        #"{"aps":{"alert":{"body":["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]}}}"#,
    ])
    func givesUpWhereTheTextIsNotWhatIsLong(payload: String) {
        #expect(trim(payload, to: 30) == nil)
    }

    @Test func everyLimitGivesValidJSONThatFits() throws {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("ab \"\\\n😀é👩‍🚀")
        for _ in 0..<200 {
            let text = String((0..<60).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
            let payload = String(
                decoding: try JSONSerialization.data(withJSONObject: ["aps": ["alert": text]]), as: UTF8.self)
            let limit = Int.random(in: 23..<payload.utf8.count, using: &generator)
            let trimmed = try #require(trim(payload, to: limit), "\(payload) to \(limit)")
            #expect(trimmed.text.utf8.count <= limit)
            let object = try JSONSerialization.jsonObject(with: Data(trimmed.text.utf8)) as? [String: [String: String]]
            let alert = try #require(object?["aps"]?["alert"], "\(trimmed.text)")
            #expect(alert.hasSuffix("…") && text.hasPrefix(String(alert.dropLast())), "\(alert) of \(text)")
        }
    }
}
