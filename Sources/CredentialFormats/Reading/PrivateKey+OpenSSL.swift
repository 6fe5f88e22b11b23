internal import COpenSSL
import PushModel

extension PrivateKey {
    /// Creates a key, or returns `nil` if OpenSSL cannot write it as PKCS#8. It is then not a private key.
    ///
    /// - Parameter key: an EVP_PKEY, which the caller still owns.
    init?(_ key: OpaquePointer) {
        guard let form = EVP_PKEY2PKCS8(key) else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(form) }
        guard let der = encoded({ i2d_PKCS8_PRIV_KEY_INFO(form, $0) }), let publicKey = subjectPublicKeyInfo(of: key)
        else { return nil }
        self.init(algorithm: KeyAlgorithm(key), der: Secret(der), publicKeyDER: publicKey)
    }

    /// - Parameter form: a PKCS8_PRIV_KEY_INFO, which the caller still owns.
    init?(pkcs8 form: OpaquePointer, _ algorithms: Algorithms) {
        guard let key = EVP_PKCS82PKEY_ex(form, algorithms.context, nil) else { return nil }
        defer { EVP_PKEY_free(key) }
        self.init(key)
    }
}

extension KeyAlgorithm {
    init(_ key: OpaquePointer) {
        if EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA {
            self = .rsa(bits: Int(EVP_PKEY_get_bits(key)))
            return
        }
        let name = EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
        var group = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(key, &group, group.count, &length) == 1 else {
            self = .other(name)
            return
        }
        let curve = String(decoding: group.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self = name == "EC" && curve == "prime256v1" ? .p256 : .other("\(name) \(curve)")
    }
}

/// Returns the SubjectPublicKeyInfo in one fixed form, regardless of its form in the file.
func subjectPublicKeyInfo(of key: OpaquePointer) -> [UInt8]? {
    // A curve's point may also be written compressed. Keys without a curve reject the parameter, which is harmless.
    _ = EVP_PKEY_set_utf8_string_param(key, "point-format", "uncompressed")
    ERR_clear_error()
    return encoded { i2d_PUBKEY(key, $0) }
}
