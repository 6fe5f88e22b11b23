import PushModel
import Testing

@Suite struct ProviderIDTests {
    private func id(_ text: String) -> ProviderID? {
        Array(text.utf8).withUnsafeBufferPointer(ProviderID.init(ascii:))
    }

    @Test(arguments: [
        "eabeae54-14a8-11e5-b60b-1697f925ec7b", "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff", "01234567-89ab-cdef-0123-456789abcdef",
    ])
    func writesUUIDInLowerCase(text: String) {
        #expect(id(text)?.description == text)
        #expect(id(text.uppercased())?.description == text)
        #expect(id(text) == id(text.uppercased()))
    }

    @Test func distinguishesEveryDigit() {
        let zero = "00000000-0000-0000-0000-000000000000"
        let ids = zero.indices.filter { zero[$0] == "0" }
            .map { id(zero.replacingCharacters(in: $0...$0, with: "1")) }
        #expect(Set(ids).count == 32)
    }

    @Test func keepsTextIDsOfOtherProviders() {
        #expect(ProviderID("projects/shop/messages/0:15\"")?.description == "projects/shop/messages/0:15\"")
        #expect(ProviderID("") == nil && ProviderID(String(repeating: "x", count: 513)) == nil)
        var json: [UInt8] = []
        ProviderID("a\"b")?.appendJSON(to: &json)
        #expect(String(decoding: json, as: UTF8.self) == #""a\"b""#)
        json = []
        id("EABEAE54-14a8-11e5-b60b-1697f925ec7b")?.appendJSON(to: &json)
        #expect(String(decoding: json, as: UTF8.self) == #""eabeae54-14a8-11e5-b60b-1697f925ec7b""#)
        #expect(MemoryLayout<ProviderID?>.size <= 40, "every push stores an id")
    }

    /// The text is written into JSON without escaping.
    @Test func writesOnlyHexDigitsAndDashes() {
        let good = Array("eabeae54-14a8-11e5-b60b-1697f925ec7b".utf8)
        for index in [0, 8, 31, 32, 35] {
            for byte in UInt8.min...UInt8.max {
                var text = good
                text[index] = byte
                let shown = text.withUnsafeBufferPointer(ProviderID.init(ascii:))?.description
                #expect(shown?.allSatisfy { "0123456789abcdef-".contains($0) } ?? true, "byte \(byte): \(shown ?? "")")
            }
        }
    }

    @Test(arguments: [
        "", "eabeae54", "eabeae5414a811e5b60b1697f925ec7b", "eabeae54-14a8-11e5-b60b-1697f925ec7",
        "eabeae54-14a8-11e5-b60b-1697f925ec7b0", "gabeae54-14a8-11e5-b60b-1697f925ec7b",
        "{eabeae54-14a8-11e5-b60b-1697f925ec}", "éabeae54-14a8-11e5-b60b-1697f925ec7",
    ])
    func rejectsOtherForms(text: String) {
        #expect(id(text) == nil)
    }
}

extension String {
    fileprivate func replacingCharacters(in range: ClosedRange<Index>, with replacement: String) -> String {
        var copy = self
        copy.replaceSubrange(range, with: replacement)
        return copy
    }
}
