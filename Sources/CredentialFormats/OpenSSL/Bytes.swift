internal import COpenSSL
import PushModel

/// Functions that read OpenSSL's strings.
enum OpenSSLText {
    static func bytes(_ string: UnsafePointer<ASN1_STRING>?) -> [UInt8]? {
        guard let string, let data = ASN1_STRING_get0_data(string) else { return nil }
        return Array(UnsafeBufferPointer(start: data, count: Int(ASN1_STRING_length(string))))
    }

    /// Returns the text of a string, decoded from the character set that its type states.
    static func text(_ string: UnsafePointer<ASN1_STRING>?) -> String? {
        guard let string else { return nil }
        var buffer: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&buffer, string)
        guard count >= 0, let buffer else { return nil }
        defer { CRYPTO_free(buffer, nil, 0) }
        return String(decoding: UnsafeBufferPointer(start: buffer, count: Int(count)), as: UTF8.self)
    }
}

/// Returns the DER that one of OpenSSL's `i2d_` functions writes, or `nil` if it fails.
func encoded(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> [UInt8]? {
    var buffer: UnsafeMutablePointer<UInt8>?
    let count = Int(write(&buffer))
    guard count > 0, let buffer else { return nil }
    // The buffer may contain a private key.
    defer { CRYPTO_clear_free(buffer, count, nil, 0) }
    return Array(UnsafeBufferPointer(start: buffer, count: count))
}

extension [UInt8] {
    /// Calls one of OpenSSL's `d2i_` functions with a pointer to the bytes and their number. The function advances the
    /// pointer.
    func withDERPointer<Value>(_ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> Value?) -> Value? {
        withUnsafeBufferPointer { bytes in
            guard var start = bytes.baseAddress.map(Optional.some) else { return nil }
            return read(&start, bytes.count)
        }
    }
}
