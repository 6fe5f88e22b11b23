internal import COpenSSL
import Foundation
public import PushModel

extension PrivateKey {
    /// The PBKDF2 iterations that OWASP recommends with SHA-256, well below the limit of ``FileContents``.
    private static let derivationRounds: Int32 = 600_000

    /// Returns the key as PEM, encrypted with AES-256 under a key that PBKDF2 derives from the passphrase (PKCS#8, RFC
    /// 5958; RFC 8018).
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
        guard let sealed else { throw FileProblem("can't be encrypted") }
        let body = Data(sealed).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Secret("-----BEGIN ENCRYPTED PRIVATE KEY-----\n\(body)\n-----END ENCRYPTED PRIVATE KEY-----\n".utf8)
    }
}
