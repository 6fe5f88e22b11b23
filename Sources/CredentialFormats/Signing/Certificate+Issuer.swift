internal import COpenSSL

extension Certificate {
    /// Returns whether the issuer's key has signed this certificate. A comparison of names is not enough, because a
    /// renewed authority may keep its name.
    package func isSigned(by issuer: Certificate) -> Bool {
        defer { ERR_clear_error() }
        guard subjectDER.isEmpty == false, issuerDER == issuer.subjectDER,
            let certificate = der.withDERPointer({ d2i_X509(nil, $0, $1) })
        else { return false }
        defer { X509_free(certificate) }
        guard let authority = issuer.der.withDERPointer({ d2i_X509(nil, $0, $1) }) else { return false }
        defer { X509_free(authority) }
        guard let key = X509_get0_pubkey(authority) else { return false }
        return X509_verify(certificate, key) == 1
    }

    /// Whether the certificate may issue other certificates (RFC 5280, section 4.2.1.9).
    package var isAuthority: Bool {
        defer { ERR_clear_error() }
        guard let certificate = der.withDERPointer({ d2i_X509(nil, $0, $1) }) else { return false }
        defer { X509_free(certificate) }
        return X509_check_ca(certificate) > 0
    }

    /// The issuer's name in openssl's notation: `/C=US/O=Apple Inc./OU=G4/CN=…`.
    package var issuerName: String {
        defer { ERR_clear_error() }
        guard let name = issuerDER.withDERPointer({ d2i_X509_NAME(nil, $0, $1) }) else { return "" }
        defer { X509_NAME_free(name) }
        guard let text = X509_NAME_oneline(name, nil, 0) else { return "" }
        defer { CRYPTO_free(text, nil, 0) }
        return String(cString: text)
    }
}
