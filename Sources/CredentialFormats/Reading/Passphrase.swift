import PushModel

/// Somebody's passphrase in the forms that it may have been used in.
struct Passphrase {
    private let given: Secret?

    init(_ given: Secret?) {
        self.given = given
    }

    var isMissing: Bool { given == nil }

    /// For a PEM key. The second is what OpenSSL before 1.1 made of characters outside ASCII.
    var forKey: [[UInt8]] {
        guard let given else { return [] }
        return given.withBytes { bytes in
            let perByte = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8
            return bytes.allSatisfy { $0 < 0x80 } ? [bytes] : [bytes, Array(perByte)]
        }
    }

    /// For a `.p12`, where none (nil) and an empty one are different things, and both are in use.
    var forPKCS12: [[UInt8]?] { forKey + [nil, []] }
}

extension [UInt8]? {
    /// As OpenSSL wants it: nil and empty are different, and the length is told, so a NUL is a character.
    func withPassphrase<Value>(_ body: (UnsafePointer<CChar>?, Int32) -> Value) -> Value {
        guard let self else { return body(nil, 0) }
        return (self.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
            body($0.baseAddress, Int32(self.count))
        }
    }
}
