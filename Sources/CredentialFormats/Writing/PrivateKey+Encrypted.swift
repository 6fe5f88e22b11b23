internal import COpenSSL
import Foundation
public import PushModel

extension PrivateKey {
    /// The number of PBKDF2 iterations. OWASP recommends this number with SHA-256. ``FileContents`` accepts many more.
    private static let derivationRounds: Int32 = 600_000

    /// Returns the key as PEM, encrypted with AES-256 in the form of PKCS#8 (RFC 5958). PBKDF2 (RFC 8018) derives the
    /// encryption key from the passphrase.
    ///
    /// - Throws: ``FileProblem`` if OpenSSL fails.
    public func encryptedPEM(passphrase: Secret) throws(FileProblem) -> Secret {
        defer { ERR_clear_error() }
        let sealed: [UInt8]? = der.withBytes { der in
            guard let form = der.withDERPointer({ d2i_PKCS8_PRIV_KEY_INFO(nil, $0, $1) }) else { return nil }
            defer { PKCS8_PRIV_KEY_INFO_free(form) }
            let signature = passphrase.withBytes { text in
                text.withUnsafeBytes { text in
                    PKCS8_encrypt(
                        -1, EVP_aes_256_cbc(), text.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32(clamping: text.count), nil, 0, Self.derivationRounds, form)
                }
            }
            guard let signature else { return nil }
            defer { X509_SIG_free(signature) }
            return encoded { i2d_X509_SIG(signature, $0) }
        }
        guard let sealed else { throw FileProblem("cannot be encrypted") }
        let body = Data(sealed).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Secret("-----BEGIN ENCRYPTED PRIVATE KEY-----\n\(body)\n-----END ENCRYPTED PRIVATE KEY-----\n".utf8)
    }
}
