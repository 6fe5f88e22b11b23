import PushModel

/// A passphrase in the encodings with which a file may have been encrypted.
struct Passphrase {
    private let given: Secret?

    init(_ given: Secret?) {
        self.given = given
    }

    var isMissing: Bool { given == nil }

    /// The encodings for a key in PEM or DER. If the text is not ASCII, the second encoding treats each byte as a
    /// character, as OpenSSL did before version 1.1.
    var forKey: [[UInt8]] {
        guard let given else { return [] }
        return given.withBytes { bytes in
            let perByte = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8
            return bytes.allSatisfy { $0 < 0x80 } ? [bytes] : [bytes, Array(perByte)]
        }
    }

    /// The encodings for a `.p12`. A `.p12` may be encrypted without a passphrase (`nil`) or with an empty one. The
    /// results differ.
    var forPKCS12: [[UInt8]?] { forKey + [nil, []] }
}

extension [UInt8]? {
    /// Calls `body` with the passphrase as OpenSSL expects it. OpenSSL distinguishes `nil` from an empty passphrase.
    /// The length is passed, so a passphrase may contain NUL.
    func withPassphrase<Value>(_ body: (UnsafePointer<CChar>?, Int32) -> Value) -> Value {
        guard let self else { return body(nil, 0) }
        return (self.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
            body($0.baseAddress, Int32(self.count))
        }
    }
}
