import PushModel

/// A passphrase in the forms in which it may have been used to encrypt a file.
struct Passphrase {
    private let given: Secret?

    init(_ given: Secret?) {
        self.given = given
    }

    var isMissing: Bool { given == nil }

    /// The forms for a PEM key. The second is the form that OpenSSL before 1.1 used for characters outside ASCII.
    var forKey: [[UInt8]] {
        guard let given else { return [] }
        return given.withBytes { bytes in
            let perByte = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8
            return bytes.allSatisfy { $0 < 0x80 } ? [bytes] : [bytes, Array(perByte)]
        }
    }

    /// The forms for a `.p12`. There, no passphrase (`nil`) differs from an empty one, and both are in use.
    var forPKCS12: [[UInt8]?] { forKey + [nil, []] }
}

extension [UInt8]? {
    /// Calls `body` with the passphrase as OpenSSL expects it. `nil` and an empty passphrase differ, and the length is
    /// passed, so a passphrase may contain NUL.
    func withPassphrase<Value>(_ body: (UnsafePointer<CChar>?, Int32) -> Value) -> Value {
        guard let self else { return body(nil, 0) }
        return (self.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
            body($0.baseAddress, Int32(self.count))
        }
    }
}
