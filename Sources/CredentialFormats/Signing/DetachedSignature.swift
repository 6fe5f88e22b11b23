internal import COpenSSL
package import PushModel

/// A function for signatures that are stored apart from the signed content, in CMS (RFC 5652, formerly PKCS #7).
package enum DetachedSignature {
    /// Returns the signature of some content in DER. The signature uses SHA-256, and includes the time of signing and
    /// all given certificates.
    ///
    /// - Parameters:
    ///   - privateKeyDER: the key in PKCS#8, or in the traditional form of its algorithm.
    ///   - others: the issuer's certificate, the certificate of the issuer's issuer, and so on.
    /// - Throws: ``FileProblem`` if the certificate or the key cannot be used, or if they do not belong together.
    package static func sign(
        _ content: [UInt8], certificate: Certificate, privateKeyDER: Secret, others: [Certificate]
    ) throws(FileProblem) -> [UInt8] {
        defer { ERR_clear_error() }
        guard let signer = certificate.der.withDERPointer({ d2i_X509(nil, $0, $1) }) else {
            throw FileProblem("has a certificate that is damaged")
        }
        defer { X509_free(signer) }
        guard
            let key = privateKeyDER.withBytes({ der in der.withDERPointer { d2i_AutoPrivateKey(nil, $0, $1) } })
        else { throw FileProblem("has a private key that cannot be read") }
        defer { EVP_PKEY_free(key) }
        guard X509_check_private_key(signer, key) == 1 else {
            throw FileProblem("has a private key that does not belong to its certificate")
        }
        guard let chain = OPENSSL_sk_new_null() else { throw refused }
        defer { OPENSSL_sk_pop_free(chain, { X509_free($0.map { OpaquePointer($0) }) }) }
        for other in others {
            guard let one = other.der.withDERPointer({ d2i_X509(nil, $0, $1) }) else {
                throw FileProblem("has a damaged issuer certificate")
            }
            guard OPENSSL_sk_push(chain, UnsafeRawPointer(one)) > 0 else {
                X509_free(one)
                throw refused
            }
        }
        // The content is signed unchanged. The list of supported ciphers is omitted, because only mail programs use it.
        let flags = UInt32(CMS_DETACHED) | UInt32(CMS_BINARY) | UInt32(CMS_NOSMIMECAP)
        let signed: OpaquePointer? = content.withUnsafeBytes { bytes in
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(source) }
            return CMS_sign(signer, key, chain, source, flags)
        }
        guard let signed else { throw refused }
        defer { CMS_ContentInfo_free(signed) }
        guard let der = encoded({ i2d_CMS_ContentInfo(signed, $0) }) else { throw refused }
        return der
    }

    private static let refused = FileProblem("cannot be used for signing: OpenSSL rejects it")
}
