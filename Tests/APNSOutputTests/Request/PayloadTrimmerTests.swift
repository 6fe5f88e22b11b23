import APNSOutput
import Foundation
import TestSupport
import Testing

@Suite struct PayloadTrimmerTests {
    private func trim(_ payload: String, to limit: Int) -> (text: String, removed: Int)? {
        Array(payload.utf8).withUnsafeBufferPointer { PayloadTrimmer.trim($0, toBytes: limit) }
            .map { (String(decoding: $0.payload, as: UTF8.self), $0.removedBytes) }
    }

    @Test(arguments: [
        // The text is cut at the end of a word, and the rest is kept byte for byte.
        (#"{ "aps":{"alert":"one two three four"},"x":[1, 2]}"#, 45, #"{ "aps":{"alert":"one two…"},"x":[1, 2]}"#),
        (
            #"{"aps":{"alert":{"title":"T","body":"one two three"}}}"#, 50,
            #"{"aps":{"alert":{"title":"T","body":"one…"}}}"#
        ),
        // A text without the end of a word is cut anywhere.
        (
            #"{"aps":{"alert":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}"#, 50,
            #"{"aps":{"alert":"aaaaaaaaaaaaaaaaaaaaaaaaaaa…"}}"#
        ),
        // A family emoji is one cluster of 25 bytes.
        (#"{"aps":{"alert":"ab👨‍👩‍👧‍👦cd"}}"#, 44, #"{"aps":{"alert":"ab…"}}"#),
        // An escape is never split, and is written in its shortest form.
        (#"{"aps":{"alert":"ab\u00e9\u00e9\u00e9\u00e9 cd"}}"#, 31, #"{"aps":{"alert":"abééé…"}}"#),
        (#"{"aps":{"alert":"say \"hi\" to them"}}"#, 35, #"{"aps":{"alert":"say \"hi\"…"}}"#),
        // A surrogate pair is one character and is never split.
        (#"{"aps":{"alert":"ab\ud83d\ude00\ud83d\ude00"}}"#, 29, #"{"aps":{"alert":"ab😀…"}}"#),
        // Combining marks stay with their letter. The cluster e + U+0301 + U+0323 has five bytes.
        (
            "{\"aps\":{\"alert\":\"abe\u{301}\u{323}e\u{301}\u{323}\"}}", 30,
            "{\"aps\":{\"alert\":\"abe\u{301}\u{323}…\"}}"
        ),
        // In right-to-left text, the beginning in memory is the beginning for the reader.
        (#"{"aps":{"alert":"שלום לכם חברים"}}"#, 40, #"{"aps":{"alert":"שלום לכם…"}}"#),
        // All white space at the cut is removed.
        (#"{"aps":{"alert":"one   two three"}}"#, 29, #"{"aps":{"alert":"one…"}}"#),
        // The text fits when it is written without escapes, so nothing is cut.
        (#"{"aps":{"alert":"\u0061\u0062\u0063"}}"#, 23, #"{"aps":{"alert":"abc"}}"#),
    ])
    func cutsTextAtWordOrCharacter(payload: String, limit: Int, expected: String) throws {
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
        #"{"aps":{"alert":{"loc-key":"GREETING","loc-args":["aaaaaaaaaaaaaaaaaaa"]}}}"#,
        #"{"aps":{"alert":{"body":{"loc-key":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}}}"#,
    ])
    func returnsNilIfAlertTextCannotBeTrimmedEnough(payload: String) {
        #expect(trim(payload, to: 30) == nil)
    }

    @Test func returnsValidJSONWithinLimit() throws {
        var generator = SplitMix64(seed: 7)
        let alphabet = Array("ab \"\\\n😀é👩‍🚀")
        for _ in 0..<200 {
            let text = String((0..<60).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
            let payload = String(
                decoding: try JSONSerialization.data(withJSONObject: ["aps": ["alert": text]]), as: UTF8.self)
            let limit = Int.random(in: 23..<payload.utf8.count, using: &generator)
            let trimmed = try #require(trim(payload, to: limit), "no result for \(payload) with limit \(limit)")
            #expect(trimmed.text.utf8.count <= limit)
            let object = try JSONSerialization.jsonObject(with: Data(trimmed.text.utf8)) as? [String: [String: String]]
            let alert = try #require(object?["aps"]?["alert"], "\(trimmed.text)")
            #expect(alert.hasSuffix("…") && text.hasPrefix(String(alert.dropLast())), "\(alert) does not trim \(text)")
        }
    }

    /// With every limit, the result fits, begins with the original text and contains no part of a cluster.
    @Test(arguments: 0..<60)
    func cutsRandomTextAtClusterBoundaries(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let alphabet: [String] = [
            "a", "b", " ", "\u{A0}", "\\", "\"", "\n", "é", "e\u{301}", "q\u{323}\u{307}", "ש", "\u{5B0}", "ﷺ",
            "\u{202B}",
            "\u{202C}", "😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "👍🏽", "\u{200D}", "한", "\u{1112}\u{1161}", "\u{E000}",
        ]
        let text = (0..<40).map { _ in alphabet.randomElement(using: &generator) ?? "a" }.joined()
        let object = ["aps": ["alert": ["title": "T", "body": text]], "n": 1.5] as [String: Any]
        let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        let payload = String(decoding: data, as: UTF8.self)
        let scalars = Array(text.unicodeScalars)
        for limit in 0..<payload.utf8.count {
            guard let trimmed = trim(payload, to: limit) else { continue }
            #expect(trimmed.text.utf8.count <= limit)
            #expect(trimmed.removed == payload.utf8.count - trimmed.text.utf8.count)
            let read = try JSONSerialization.jsonObject(with: Data(trimmed.text.utf8)) as? [String: Any]
            let alert = (read?["aps"] as? [String: [String: String]])?["alert"]
            let body = try #require(alert?["body"], "\(trimmed.text)")
            #expect(alert?["title"] == "T" && read?["n"] as? Double == 1.5)
            if body == text { continue }
            let kept = Array(body.unicodeScalars.dropLast())
            #expect(body.unicodeScalars.last == "…")
            #expect(Array(scalars.prefix(kept.count)) == kept, "limit \(limit): \(body) is no prefix of \(text)")
            let end = text.unicodeScalars.index(text.unicodeScalars.startIndex, offsetBy: kept.count)
            #expect(text.indices.contains(end), "limit \(limit): cut inside a cluster of \(text)")
        }
    }
}
