internal import COpenSSL

/// A writer for `.p12` files (RFC 7292).
public enum PKCS12Writer {
    /// Returns a `.p12` file with a certificate and its private key. The file is encrypted with triple DES and SHA-1,
    /// because even the oldest readers support them. This encryption is too weak to protect an important secret.
    ///
    /// - Parameter name: the `friendlyName`, which readers display.
    /// - Throws: ``FileProblem`` if one of the strings is not valid PEM, or if OpenSSL fails.
    public static func write(
        certificatePEM: String, privateKeyPEM: String, name: String, passphrase: String
    ) throws(FileProblem) -> [UInt8] {
        defer { ERR_clear_error() }
        guard let certificate = read(certificatePEM, { PEM_read_bio_X509($0, nil, nil, nil) }) else {
            throw FileProblem("has no certificate")
        }
        defer { X509_free(certificate) }
        guard let key = read(privateKeyPEM, { PEM_read_bio_PrivateKey($0, nil, nil, nil) }) else {
            throw FileProblem("has no private key")
        }
        defer { EVP_PKEY_free(key) }
        let cipher = NID_pbe_WithSHA1And3_Key_TripleDES_CBC
        // -1 omits the checksum, because old readers do not support OpenSSL's default. A checksum with SHA-1 is added
        // below.
        guard let file = PKCS12_create(passphrase, name, key, certificate, nil, cipher, cipher, rounds, -1, 0) else {
            throw FileProblem("cannot be written as PKCS #12")
        }
        defer { PKCS12_free(file) }
        guard PKCS12_set_mac(file, passphrase, -1, nil, 0, rounds, EVP_sha1()) == 1,
            let bytes = encoded({ i2d_PKCS12(file, $0) })
        else { throw FileProblem("cannot be written as PKCS #12") }
        return bytes
    }

    private static let rounds: Int32 = 2_048

    private static func read<Value>(_ pem: String, _ body: (OpaquePointer?) -> Value?) -> Value? {
        var pem = pem
        return pem.withUTF8 { text in
            let source = BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count))
            defer { BIO_free(source) }
            return body(source)
        }
    }
}
