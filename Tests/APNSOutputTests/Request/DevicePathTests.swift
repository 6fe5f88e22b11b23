import APNSOutput
import Testing

@Suite struct DevicePathTests {
    private func path(_ token: some Sequence<UInt8>) -> String? {
        var path = DevicePath()
        return Array(token).withUnsafeBufferPointer { token in
            path.write(token).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test func acceptsOnlyEvenLengthsUpTo512() {
        for length in 0...520 {
            let token = String((0..<length).map { Array("0123456789abcdef")[$0 % 16] })
            let isGood = length > 0 && length <= 512 && length.isMultiple(of: 2)
            #expect(path(token.utf8) == (isGood ? "/3/device/\(token)" : nil), "\(length) digits")
        }
    }

    @Test(arguments: [
        ("C0FFEE", "c0ffee"), ("ABCDEF0123456789abcdef", "abcdef0123456789abcdef"), ("<c0ff ee00>", "c0ffee00"),
        ("<C0FFEE00 11223344>", "c0ffee0011223344"), (" aa ", "aa"),
    ])
    func writesLowerCaseWithoutBracketsAndSpaces(token: String, hex: String) {
        #expect(path(token.utf8) == "/3/device/\(hex)")
    }

    @Test func rejectsBytesThatAreNotHexDigits() {
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            let isLeftOut = "<> ".contains(character)
            let isDigit = byte < 0x80 && character.isHexDigit
            #expect((path([0x61, byte, 0x62]) != nil) == isLeftOut, "byte \(byte) between two digits")
            #expect((path([0x61, byte]) != nil) == isDigit, "byte \(byte) after a digit")
        }
    }

    @Test(arguments: ["", "<>", " ", "a", "abc", "../../aa", "aa/bb", "0x12", "aa?b", "ééé"])
    func rejectsInvalidTokens(token: String) {
        #expect(path(token.utf8) == nil)
    }

    @Test func reusesBufferForNextToken() {
        var path = DevicePath()
        func write(_ token: String) -> String? {
            Array(token.utf8).withUnsafeBufferPointer { token in
                path.write(token).map { String(decoding: $0, as: UTF8.self) }
            }
        }
        #expect(write("c0ffeec0ffee") == "/3/device/c0ffeec0ffee")
        #expect(write("zz") == nil)
        #expect(write("AA") == "/3/device/aa")
    }
}
